"""The subcommands of `autograder`: they parse and print; everything they do can be called from Python."""
