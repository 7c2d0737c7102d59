"""Every process of the tests comes through here first."""

from autograder import startup

startup.skip_unused_grammar()
