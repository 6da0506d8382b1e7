"""Tables of token vectors as people's programs write them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention import ArrayFile, FileError, UnreadableFileError, open_tensors


class Table:
    """A text file, opened, as a test looks at it."""

    def __init__(self, file: ArrayFile) -> None:
        self.rows = np.asarray(file.read("table")).tolist()
        self.detected = file.detected

    def said(self, *names: str) -> list[Any]:
        return [self.detected[name] for name in names]


@pytest.fixture
def table(tmp_path: Path) -> Any:
    def read(text: str | bytes, name: str = "tokens.csv", **options: str) -> Table:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Table(open_tensors(path, options=options))

    return read


@pytest.mark.parametrize(
    ("text", "delimiter", "decimal"),
    [
        ("1.5,-2,0.25\n4,0.5,6.75\n", ",", "."),
        ("1.5, -2, 0.25\n4, 0.5, 6.75", ",", "."),
        ("1.5\t-2\t0.25\n4\t0.5\t6.75\n", "\t", "."),
        ("1,5\t-2\t0,25\n4\t0,5\t6,75\n", "\t", ","),
        ("1.5;-2;0.25\n4;0.5;6.75\n", ";", "."),
        ("1,5;-2;0,25\n4;0,5;6,75\n", ";", ","),
        ("1.5 -2  0.25\n 4 0.5 6.75 \n", " ", "."),
        ('"1,5";"-2";"0,25"\n"4";"0,5";"6,75"\n', ";", ","),
        ('"1.5","-2","0.25"\n4,0.5,6.75\n', ",", "."),
    ],
)
def test_separator_and_decimal_sign_are_detected(
    table: Any, text: str, delimiter: str, decimal: str
) -> None:
    for ending in ("\n", "\r\n", "\r"):
        found = table(text.replace("\n", ending))
        assert found.rows == [[1.5, -2.0, 0.25], [4.0, 0.5, 6.75]], repr(ending)
        assert found.said("delimiter", "decimal", "header") == [delimiter, decimal, False]


@pytest.mark.parametrize("name", ["tokens.csv", "tokens.tsv", "TOKENS.CSV"])
def test_ending_of_the_name_does_not_decide_the_separator(table: Any, name: str) -> None:
    assert table("1\t2\n3\t4", name).rows == table("1,2\n3,4", name).rows == [[1, 2], [3, 4]]


def test_commas_alone_separate_numbers_and_are_never_decimal_signs(table: Any) -> None:
    assert table("1,5,2,25\n").rows == [[1.0, 5.0, 2.0, 25.0]]


def test_header_row_names_the_columns(table: Any) -> None:
    found = table("d0,d1\n1,2\n3,4\n")
    assert found.rows == [[1, 2], [3, 4]]
    assert found.said("header", "labels", "column_names") == [True, False, ["d0", "d1"]]


def test_first_column_of_words_labels_the_rows(table: Any) -> None:
    found = table("the,1,2\ncat,3,4\nthe,5,6\n")
    assert found.rows == [[1, 2], [3, 4], [5, 6]]
    assert found.said("header", "labels", "row_labels") == [False, True, ["the", "cat", "the"]]


@pytest.mark.parametrize("corner", ["token", ""])
def test_header_and_labels_come_together(table: Any, corner: str) -> None:
    found = table(f"{corner},x,y\nthe,1,2\ncat,3,4\n")
    assert found.rows == [[1, 2], [3, 4]]
    assert found.said("column_names", "row_labels") == [["x", "y"], ["the", "cat"]]


def test_a_column_without_a_name_is_the_index_that_pandas_writes(table: Any) -> None:
    found = table(",x,y\n0,1,2\n1,3,4\n")
    assert found.rows == [[1, 2], [3, 4]]
    assert found.said("column_names", "row_labels") == [["x", "y"], ["0", "1"]]
    assert table(",x,y\n0,1,2\n", labels="false").rows == [[0, 1, 2]]


def test_labels_may_hold_the_separators(table: Any) -> None:
    found = table('"a, b",1,2\n;,3,4\n"say ""no""",5,6\n\t.,7,8\n')
    assert found.rows == [[1, 2], [3, 4], [5, 6], [7, 8]]
    assert found.said("delimiter", "row_labels") == [",", ["a, b", ";", 'say "no"', "."]]


def test_words_of_any_script_label_rows_and_digits_of_others_are_no_numbers(table: Any) -> None:
    assert table("猫,1\n犬,2\n").detected["row_labels"] == ["猫", "犬"]
    with pytest.raises(FileError, match="row 2, column 2 is not a number"):
        table("a,1\nb,٢\n")


def test_byte_order_mark_is_no_part_of_the_first_cell(table: Any) -> None:
    found = table(b"\xef\xbb\xbf1,2\r\n3,4\r\n")
    assert found.rows == [[1, 2], [3, 4]]
    assert found.detected["byte_order_mark"] is True


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1,2,3", [[1, 2, 3]]),
        ("1;2;3", [[1, 2, 3]]),
        ("1,5;2", [[1.5, 2]]),
        ("7", [[7]]),
        ("1\n2\n3\n", [[1], [2], [3]]),
        ("the,1,2", [[1, 2]]),
        ("x\n1\n2", [[1], [2]]),
    ],
)
def test_one_row_or_one_column_is_a_table(table: Any, text: str, rows: Any) -> None:
    assert table(text).rows == rows


def test_numbers_are_read_in_the_forms_that_programs_write(table: Any) -> None:
    found = table("1e3,-2.5E-2,+.5,5.,00.5\n").rows
    assert found == [[1000.0, -0.025, 0.5, 5.0, 0.5]]


def test_numbers_are_the_nearest_float64(table: Any) -> None:
    assert table("0.1,3.141592653589793,1e-320\n").rows == [[0.1, 3.141592653589793, 1e-320]]


def test_values_that_are_not_finite_are_kept(table: Any) -> None:
    (row,) = table("nan,inf,-inf,Infinity,NaN,1\n").rows
    np.testing.assert_array_equal(row, [np.nan, np.inf, -np.inf, np.inf, np.nan, 1])


def test_empty_lines_at_the_end_are_no_rows(table: Any) -> None:
    assert table("1,2\n3,4\n\n\n").rows == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("1,2,3\n4,,6\n7,n/a,9\n", ["row 2, column 2 is empty", "row 3, column 2 is not a number"]),
        ("d0,d1\n1,2\n3,x\n", ["row 3, column 2 is not a number ('x')"]),
        ("the,1,2\ncat,,4\n", ["row 2, column 2 is empty"]),
        ("1,2\n3\n", ["row 2 has 1 cells, expected 2 as in row 1"]),
        ("1,2\n\n3,4\n", ["row 2 is empty"]),
        ("1,2\n3,4,5\n", ["row 2 has 3 cells, expected 2 as in row 1"]),
        ("a,b\n1,2,3\n", ["row 2 has 3 cells, expected 2 as in row 1"]),
        ("1,2,\n3,4,\n", ["row 1, column 3 is empty", "row 2, column 3 is empty"]),
        ("1,two\n3,4\n", ["row 1, column 2 is not a number ('two')"]),
        ("1_0,2\n3,4\n", ["row 1, column 1 is not a number ('1_0')"]),
        ("0x10,2\n3,4\n", ["row 1, column 1 is not a number"]),
        ("1,5;2\n1.234,5;3\n", ["row 2, column 1 is not a number ('1.234,5')"]),
        ("1,5;2\n1.234;3\n", ["row 1, column 1 is not a number ('1,5')"]),
        (" ,2\n3,4\n", ["row 1, column 1 is empty"]),
        ("1,2\n3,1e400\n", ["row 2, column 2 does not fit float64 ('1e400')"]),
        ("1,5;2\n-9E999;3\n", ["row 2, column 1 does not fit float64 ('-9E999')"]),
    ],
)
def test_bad_cells_and_rows_are_refused_by_their_places(
    table: Any, text: str, places: list[str]
) -> None:
    with pytest.raises(FileError) as refusal:
        table(text)
    assert len(refusal.value.parts) == len(places)
    for part, place in zip(refusal.value.parts, places, strict=True):
        assert part.startswith(place)
        assert place in refusal.value.message


def test_many_bad_cells_are_counted_and_the_first_ones_named(table: Any) -> None:
    with pytest.raises(FileError) as refusal:
        table("1,2\n" + "3,x\n" * 50)
    assert len(refusal.value.parts) == 20
    assert "and 30 more" in refusal.value.message


@pytest.mark.parametrize("text", ["", "\n\n", "d0,d1\n", "a,b\nc,d\n"])
def test_file_without_numbers_is_refused(table: Any, text: str) -> None:
    with pytest.raises(FileError):
        table(text)


def test_text_that_is_not_utf8_is_refused_by_its_row(table: Any) -> None:
    with pytest.raises(UnreadableFileError, match="byte 0xe9 in row 2"):
        table("ça,1\nété,2\n".encode("latin-1").replace(b"\xe7", b"c"))
    with pytest.raises(UnreadableFileError, match="UTF-16"):
        table("1,2\n".encode("utf-16"))


def test_quote_that_never_ends_is_refused_by_its_row(table: Any) -> None:
    with pytest.raises(UnreadableFileError, match="row 2 cannot be read"):
        table('"the",1\n"cat,2\nsat,3\n', delimiter=",")


def test_what_is_said_wins_over_what_would_be_detected(table: Any) -> None:
    assert table("1,2\n3,4\n", header="true").rows == [[3, 4]]
    assert table("1,2\n3,4\n", header="true").detected["column_names"] == ["1", "2"]
    labelled = table("7,1\n8,2\n", labels="true")
    assert (labelled.rows, labelled.detected["row_labels"]) == ([[1], [2]], ["7", "8"])
    assert table("1,5\n2,5\n", delimiter=";", decimal=",").rows == [[1.5], [2.5]]
    assert table("1,5\n2,5\n", decimal=",").rows == [[1.5], [2.5]]
    assert table("1\t2\n", delimiter="tab", decimal="auto").rows == [[1, 2]]
    with pytest.raises(FileError, match="row 1, column 1 is not a number"):
        table("d0,d1\n1,2\n", header="false", labels="false")


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"delimiter": "|"}, "delimiter"),
        ({"decimal": "x"}, "decimal"),
        ({"header": "maybe"}, "header"),
        ({"delimiter": ",", "decimal": ","}, "decimal"),
    ],
)
def test_options_outside_their_choices_are_refused(
    table: Any, options: dict[str, str], place: str
) -> None:
    with pytest.raises(FileError) as refusal:
        table("1,2\n", **options)
    assert refusal.value.loc == (place,)


def test_options_are_for_tables_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("[[1]]")
    with pytest.raises(FileError, match="text tables alone"):
        open_tensors(path, options={"header": "true"})
