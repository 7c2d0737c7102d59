"""The grader's side of a student's process: started, limited, spoken to, ended."""
