"""Solutions of a class that are alike in what neither the course nor everybody wrote: places to look, no verdicts.

Compared is code alone, by the shapes of its statements, in any order: what was renamed or moved stays alike. What the
release or the reference has, or many of the class, is taken off first: short right solutions are alike by nature.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from nbformat import NotebookNode
from rapidfuzz import fuzz, process

from autograder.course.course import Course
from autograder.exercise.built import Built, SeededExercise, SeveralExercises
from autograder.submission.cells import Cell, Role, words
from autograder.submission.handed_in import Contents
from autograder.submission.notebook import read_submission
from autograder.submission.statements import Shape, Statement, statements
from autograder.tree import UnsafeError

ALIKE = 0.6  # of the smaller one's own code: from here on a pair is listed
FEWEST = 60  # tokens of own code; of less, nothing can be said
COMMON_SHARE, COMMON_FEWEST = 0.25, 10  # of the class: what more of them have is nobody's own
_SAME = 90  # percent of the tokens of two statements that are one, with a little changed
_SHORTEST = 6  # tokens; there are few ways to write a shorter statement
_LONGEST = 100_000  # characters of one student's code


@dataclass(frozen=True)
class Line:
    """A line of code. mark: the number of the like passage that it belongs to; 0 for none."""

    text: str
    mark: int = 0


class Solution:
    """A student's code. own: its statements less those that are known, each shape once with all its places."""

    def __init__(self, student: str, code: str) -> None:
        self.student = student
        self.code = code.replace("\r\n", "\n").replace("\r", "\n")
        self.own: dict[Shape, list[Statement]] = {}
        for one in statements(self.code):
            if len(one.shape) >= _SHORTEST:
                self.own.setdefault(one.shape, []).append(one)

    def take_off(self, shapes: Collection[Shape]) -> None:
        self.own = {shape: places for shape, places in self.own.items() if shape not in shapes}

    @cached_property
    def size(self) -> int:
        """Of its own code, in tokens, once the rest is taken off."""
        return sum(map(len, self.own))

    def lines(self, marks: Mapping[Shape, int]) -> tuple[Line, ...]:
        """Its code. marks: of shapes that are alike."""
        marked: dict[int, int] = {}
        for shape, mark in marks.items():
            for place in self.own[shape]:
                marked.update(dict.fromkeys(range(place.first, place.last + 1), mark))
        return tuple(Line(text, marked.get(number, 0)) for number, text in enumerate(self.code.split("\n"), 1))


@dataclass(frozen=True)
class Pair:
    """Two students' solutions. partners: the shapes that are alike, the left one's with the right one's.

    share: how much of the smaller one's own code the other has, too, from 0 to 1.
    """

    left: Solution
    right: Solution
    partners: Mapping[Shape, Shape]
    share: float

    @property
    def students(self) -> tuple[str, str]:
        return self.left.student, self.right.student

    @property
    def sides(self) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
        """Both codes; what is alike has the same mark."""
        ordered = sorted(self.partners, key=lambda shape: self.left.own[shape][0].first)
        marks = {shape: mark for mark, shape in enumerate(ordered, 1)}
        theirs = {self.partners[shape]: mark for shape, mark in marks.items()}
        return self.left.lines(marks), self.right.lines(theirs)


@dataclass(frozen=True)
class SimilarWork:
    """What a comparison of so many students came to. pairs: the most alike first. not_compared: why, by student.

    short: those who have too little code of their own to compare; they are in neither of the two.
    """

    title: str
    slug: str
    compared: int
    pairs: tuple[Pair, ...]
    not_compared: Mapping[str, str]
    short: tuple[str, ...]


def similar_work(course: Course, slug: str) -> SimilarWork:
    """What is alike in all that lies in `submitted` for an assignment now. Nothing of it is run.

    Errors: ExerciseError where the assignment has no exercises, or they cannot be read.
    """
    assignment = course.assignment(slug)
    codes, not_compared = dict[str, str](), dict[str, str]()
    for student in course.submitting_students(slug):
        try:
            codes[student] = _code(course, student, assignment)
        except ValueError as reason:
            not_compared[student] = str(reason)
    given = (one.built for one in assignment.exercises)
    pairs, short = like_pairs(codes, [cell.source for built in given for cell in _course_cells(built)])
    compared = len(codes) - len(short)
    return SimilarWork(course.assignment_folder(slug).title, slug, compared, tuple(pairs), not_compared, tuple(short))


def like_pairs(codes: Mapping[str, str], given: Iterable[str]) -> tuple[list[Pair], list[str]]:
    """The pairs whose code is alike, the most alike first; and those who have too little of their own.

    codes: by student. given: the texts of the course's.
    """
    solutions = [Solution(student, code) for student, code in codes.items()]
    _take_off_known(solutions, {one.shape for code in given for one in statements(code)})
    _take_off_common(solutions)
    rest = [one for one in solutions if one.size >= FEWEST]
    pairs = (_pair(left, right) for left, right in _candidates(rest))
    listed = sorted((pair for pair in pairs if pair), key=lambda pair: (-pair.share, pair.students))
    return listed, [one.student for one in solutions if one.size < FEWEST]


def _code(course: Course, student: str, assignment: SeededExercise | SeveralExercises) -> str:
    """The code of a student's own. Errors: ValueError, in words, where it cannot be compared."""
    found = course.handed_in(student, assignment.slug, assignment.notebooks)
    if found.refused:
        raise ValueError(found.refused)
    try:
        contents = found.contents(assignment.used_files(found.files))
    except (UnsafeError, OSError) as error:
        raise ValueError(str(error)) from None
    texts = [text for one in assignment.exercises for text in _texts(contents, one.built)]
    code = "\n\n".join(texts)
    if len(code) > _LONGEST:
        raise ValueError(f"there are more than {_LONGEST:,} characters of code")
    return code


def _texts(contents: Contents, built: Built) -> list[str]:
    name = built.exercise.notebook
    if name not in contents.notebooks:
        raise ValueError(f"{name}.ipynb was not handed in")
    modules = {file: text for file, text in contents.files.items() if file in built.exercise.submit}
    submission = read_submission(contents.notebooks[name], built.exercise, built.release, modules)
    if not submission.is_gradable:
        raise ValueError(submission.findings[-1].message)
    released = {words(cell.source) for cell in built.release.cells}
    return [cell.source for cell in submission.cells if _is_own(cell) and words(cell.source) not in released]


def _is_own(cell: Cell) -> bool:
    return cell.takes_part and cell.role in (Role.SOLUTION, Role.OWN)


def _course_cells(built: Built) -> list[NotebookNode]:
    return [cell for cell in (*built.release.cells, *built.reference.cells) if cell.cell_type == "code"]


def _take_off_known(solutions: Sequence[Solution], known: Collection[Shape]) -> None:
    """What is in the course's own code, with a little changed or not."""
    choices = {shape: shape for shape in known if len(shape) >= _SHORTEST}
    shapes = {shape for one in solutions for shape in one.own}
    near = {shape for shape in shapes if shape in choices or _nearest(shape, choices) is not None}
    for one in solutions:
        one.take_off(near)


def _take_off_common(solutions: Sequence[Solution]) -> None:
    counts = Counter(shape for one in solutions for shape in one.own)
    most = max(COMMON_FEWEST, COMMON_SHARE * len(solutions))
    common = {shape for shape, count in counts.items() if count > most}
    for one in solutions:
        one.take_off(common)


def _candidates(solutions: Sequence[Solution]) -> list[tuple[Solution, Solution]]:
    """The pairs of which enough is the very same: to compare all closely would take too long."""
    having: dict[Shape, list[int]] = {}
    for number, one in enumerate(solutions):
        for shape in one.own:
            having.setdefault(shape, []).append(number)
    shared = Counter[tuple[int, int]]()
    for shape, numbers in having.items():
        for pair in combinations(numbers, 2):
            shared[pair] += len(shape)
    pairs = {(solutions[first], solutions[second]): size for (first, second), size in shared.items()}
    return [pair for pair, size in pairs.items() if size >= ALIKE / 2 * min(one.size for one in pair)]


def _pair(left: Solution, right: Solution) -> Pair | None:
    """The two, if they are alike enough to be listed."""
    partners = {shape: shape for shape in left.own if shape in right.own}
    rest = {shape: shape for shape in right.own if shape not in partners}
    for shape in left.own:
        if shape not in partners and (nearest := _nearest(shape, rest)) is not None:
            partners[shape] = rest.pop(nearest)
    alike = sum(map(len, partners if left.size <= right.size else partners.values()))
    share = alike / min(left.size, right.size)
    return Pair(left, right, partners, share) if share >= ALIKE else None


def _nearest(shape: Shape, choices: Mapping[Shape, Shape]) -> Shape | None:
    """Which of them is the same with a little changed, if any."""
    found = process.extractOne(shape, choices, scorer=fuzz.ratio, score_cutoff=_SAME)
    return None if found is None else found[0]
