"""%%tensorscope in a notebook: the cell runs and is recorded; its picture, a sentence and a table follow.

    %load_ext tensorscope
    %%tensorscope [--out FILE] [--memory-limit SIZE] [--theme dark|light]

Lines are told as "cell_3.py:2". Of IPython this needs what its documentation has: a shell's run_cell(),
register_magic_function() and display_pub.publish(); nothing of IPython is imported.
"""

import argparse
import base64
import contextlib
import html
import json
import os
import pathlib
import shlex
import tempfile

from . import Unavailable, _program, record

ROWS = 8
WIDTH, HEIGHT = 1000, 380


def options_of(line):
    """The options behind %%tensorscope; SystemExit with a sentence on stderr where it is wrong."""
    from .__main__ import size
    parser = argparse.ArgumentParser(prog="%%tensorscope", add_help=False)
    parser.add_argument("--out", metavar="FILE")
    parser.add_argument("--memory-limit", metavar="SIZE", type=size, default=0)
    parser.add_argument("--theme", choices=("dark", "light"), default="light")
    return parser.parse_args(shlex.split(line))


@contextlib.contextmanager
def numbered_cells(shell):
    """Code of a cell is of a file "cell_3.py" and not "<ipython-input-...>", which would be nobody's own."""
    compiler = getattr(shell, "compile", None)
    if not hasattr(compiler, "get_code_name"):
        yield
        return
    compiler.get_code_name = lambda raw_code, transformed_code, number: f"cell_{number}.py"
    try:
        yield
    finally:
        del compiler.get_code_name


def record_cell(shell, cell, path, memory_limit):
    """Runs the cell; its error, which the shell has shown, is the verdict of the recording."""
    problem = None
    try:
        with numbered_cells(shell), record(path, memory_limit, "notebook"):
            result = shell.run_cell(cell)
            problem = result.error_before_exec or result.error_in_exec
            if problem is not None:
                raise problem
    except BaseException as raised:
        if raised is not problem:
            raise


def in_words(count):
    from . import _library
    return _library.load().bytes(count).decode()


def sentence_of(summary):
    words = f"{summary['recorded_steps']} steps, at most {in_words(summary['peak_allocated'])} of tensors"
    if summary["verdict"] != "ok":
        words = f"{summary.get('sentence', summary['verdict'])}: {words}"
    return words + (f"; {summary['lost']} records were lost" if summary["lost"] else "")


def table_of(summary):
    """[(where, bytes, blocks)] of what was alive at the peak, the most first."""
    rows = [row for device in summary["blocks"]["devices"] for row in device["rows"]]
    return [(row["name"] or "not known", in_words(row["bytes"]), str(row["blocks"])) for row in rows[:ROWS]]


def shown(sentence, rows, picture, kept):
    """The same as HTML and as plain text."""
    head = ("at the peak, allocated by", "bytes", "blocks")
    cells = [f"<tr><td style='text-align:left'>{html.escape(a)}</td><td>{b}</td><td>{c}</td></tr>" for a, b, c in rows]
    page = [f"<p><b>{html.escape(sentence)}</b></p>",
            f"<img alt='memory over time' width='{WIDTH}' src='data:image/png;base64,{picture}'/>",
            "<table><tr>" + "".join(f"<th>{one}</th>" for one in head) + "</tr>" + "".join(cells) + "</table>"]
    if kept:
        page.append(f"<p>In the window: <code>tensorscope {html.escape(kept)}</code></p>")
    text = [sentence] + ["  ".join((b.rjust(10), c.rjust(6), a)) for a, b, c in rows]
    return {"text/html": "".join(page), "text/plain": "\n".join(text)}


def show(shell, path, theme, kept):
    summary = json.loads(_program.ask("summary", path, "--by", "frame", "--json"))
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "memory.png"
        _program.ask("shot", path, "--workspace", "memory", "--size", f"{WIDTH}x{HEIGHT}", "--theme", theme,
                    "--out", file)
        picture = base64.b64encode(file.read_bytes()).decode()
    shell.display_pub.publish(shown(sentence_of(summary), table_of(summary), picture, kept))


def load(shell):
    def tensorscope(line, cell):
        """Runs the cell, records it, and shows memory over time, a sentence and what held most at the peak."""
        try:
            options = options_of(line)
        except SystemExit:
            return
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.abspath(options.out) if options.out else os.path.join(folder, "cell.recording")
                record_cell(shell, cell, path, options.memory_limit)
                show(shell, path, options.theme, options.out)
        except Unavailable as problem:
            print(f"tensorscope: {problem}")

    shell.register_magic_function(tensorscope, magic_kind="cell", magic_name="tensorscope")
