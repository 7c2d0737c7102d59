"""The command `autograder`: its subcommands are loaded when they are called, so that help comes at once.

Exit status: 0 all done; 1 something waits for a person or was rejected; 2 the course or the command is set up wrongly;
3 a fault of the grader itself; 130 interrupted by Ctrl-C.
"""

from __future__ import annotations

import importlib
import sys
import traceback

import click

from autograder import startup
from autograder.errors import AutograderError

_INTERRUPTED = 130  # as shells have it: 128 and the number of the signal
_COMMANDS = {  # module of autograder.commands, and what the list of commands says
    "collect": ("collecting", "Take in submissions from Canvas, Moodle or Gradescope."),
    "grade": ("grading", "Grade submissions into nbgrader's gradebook."),
    "show": ("grading", "Say why points were lost."),
    "regrade": ("scores", "Show what grading a class again would change, and record it."),
    "log": ("scores", "Say when a score changed, and why."),
    "export": ("desk", "Write scores for spreadsheets and other systems."),
    "gradescope": ("desk", "Pack an exercise as a Gradescope autograder."),
    "report": ("desk", "Write a page about the class in an exercise."),
    "similar": ("desk", "Write a page of solutions that are alike, as places to look."),
    "status": ("desk", "Say how far the grading of each exercise is."),
    "doctor": ("machine", "Say what protects this machine from students' code."),
    "init": ("authoring", "Start a course folder."),
    "new": ("authoring", "Start an exercise."),
    "adopt": ("authoring", "Make an exercise of a plain nbgrader assignment."),
    "build": ("authoring", "Build the notebooks of exercises."),
    "verify": ("authoring", "Prove the hidden suites of exercises."),
    "release": ("authoring", "Verify and build an exercise, and enter it in the gradebook."),
}


class _Commands(click.Group):
    """Our own faults become one sentence and exit status 2, all others a traceback and 3."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"autograder.commands.{_COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> object:
        startup.skip_unused_grammar()
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("autograder: interrupted; what is done is kept", err=True)
            sys.exit(_INTERRUPTED)
        except AutograderError as error:
            click.echo(f"autograder: {error}", err=True)
            sys.exit(2)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception:
            traceback.print_exc()
            sys.exit(3)


@click.group(cls=_Commands)
@click.version_option(package_name="autograder")
@click.option("-v", "--verbose", is_flag=True, help="Say on stderr what is being done, and how long it takes.")
@click.pass_context
def main(context: click.Context, verbose: bool) -> None:
    """Grade deep-learning notebooks. Run it in the course folder."""
    context.with_resource(startup.log_to_stderr(verbose))
