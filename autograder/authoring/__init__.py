"""What course staff use before any student sees an exercise: is its hidden suite worth its points, does it leak?"""
