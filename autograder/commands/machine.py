"""The command about this machine: doctor."""

from __future__ import annotations

import sys

import click
from rich.table import Table
from rich.text import Text

from autograder.commands.terminal import console, say
from autograder.isolation.doctor import LAYERS, diagnose


@click.command()
def doctor() -> None:
    """Say what protects this machine from students' code, and what is missing."""
    diagnosis = diagnose()
    table = Table(
        "layer", "a student's process ...", "here", title="What stands between students' code and this machine"
    )
    for layer in LAYERS:
        reason = diagnosis.missing.get(layer.name)
        here = Text("yes", style="green") if reason is None else Text(f"no: {reason}\n{layer.remedy}", style="yellow")
        table.add_row(layer.name, layer.guarantee, here)
    console.print(table)
    if diagnosis.is_safe:
        say("Students' code is shut in: a process like theirs reached nothing that it must not reach.")
    else:
        say(f"NOT SAFE: a process like a student's is not shut off from: {', '.join(diagnosis.breaches)}.")
        say("`autograder grade` refuses to run here. A container may help: see docs/security.md.")
    sys.exit(0 if diagnosis.is_safe else 1)
