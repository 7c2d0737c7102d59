"""The outputs of cells as they go into a graded notebook: as much as there may be, and a notice beyond."""

from __future__ import annotations

import base64
import io

import msgspec
from PIL import Image

from autograder.exercise.definition import Limits
from autograder.isolation.outputs import Outputs
from autograder.isolation.replies import Display, Output, Stream
from autograder.isolation.sandbox import Sandbox
from tests.sessions import GRADE, play

LARGE = "print('x' * 600_000)"
FIGURE = "from matplotlib import pyplot as plt\nplt.plot([1, 2])\nplt.show()"


def image(width: int, height: int) -> str:
    written = io.BytesIO()
    Image.new("1", (width, height)).save(written, "PNG")
    return base64.b64encode(written.getvalue()).decode()


def test_a_figure_is_shown_as_an_image_of_the_same_size(sandbox: Sandbox) -> None:
    with play(sandbox, FIGURE) as session:
        (shown,) = session.runs[0].outputs
    figure = Image.open(io.BytesIO(base64.b64decode(shown["data"]["image/png"])))
    assert figure.width * figure.height > 100_000
    assert shown["data"]["text/plain"].startswith("<Figure size 640x480")
    assert session.findings == ()


def test_of_what_is_no_image_the_text_is_kept() -> None:
    shown = Outputs(Limits()).presentable([Display({"text/plain": "a figure", "image/png": "AAAA"}, {})])
    assert shown == [{"output_type": "display_data", "data": {"text/plain": "a figure"}, "metadata": {}}]


def test_the_cell_that_takes_more_than_is_left_and_all_after_it_have_a_notice_alone(sandbox: Sandbox) -> None:
    limits = Limits(total_output=1)
    with play(sandbox, "print('first')", LARGE, "1", LARGE, "2", "a = 3", GRADE, limits=limits) as session:
        texts = [
            [output.get("text") or output["data"]["text/plain"] for output in run.outputs]
            for run in session.runs.values()
        ]
    notice = ["[more output than all cells of a graded notebook may have together; this cell's is left out]\n"]
    assert texts == [["first\n"], ["x" * 600_000 + "\n"], ["1"], notice, notice, []]
    assert [finding.kind for finding in session.findings] == ["output"]
    assert session.findings[0].message.startswith("all outputs together are more than 1 MiB or 128 million pixels")


def test_a_notebook_of_hundreds_of_mebibytes_becomes_one_of_eight(sandbox: Sandbox) -> None:
    with play(sandbox, *["print('ä' * 300_000)"] * 40) as session:
        outputs = [run.outputs for run in session.runs.values()]
    assert 7 << 20 < len(msgspec.json.encode(outputs)) < 8 << 20


def test_many_small_files_of_large_images_take_no_more_time_than_there_may_be() -> None:
    outputs, large = Outputs(Limits()), image(4000, 4000)
    cell: list[Output] = [Display({"image/png": large}, {})]
    shown = [outputs.presentable(cell)[0]["output_type"] for _ in range(12)]
    assert shown == ["display_data"] * 8 + ["stream"] * 4
    assert outputs.is_cut


def test_a_cell_without_outputs_has_no_notice() -> None:
    outputs = Outputs(Limits(total_output=0))
    assert outputs.presentable([]) == []
    assert outputs.presentable([Stream("stdout", "x")])[0]["text"].startswith("[more output")
    assert outputs.presentable([]) == []
