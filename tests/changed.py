#!/usr/bin/env python3
"""Tests that have not passed as they are now, for ./test --changed.

changed.py list BUILD LABEL   reads `ctest --show-only=json-v1` and prints the names of those with that label, a line each
changed.py keep BUILD CASES   notes what passed, from a file of `ctest --output-junit`

A test is its program and the files of its folder in tests/ and of assets/ (by size and time of change).
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTES = 'passed.json'  # in the build folder: of each test that passed, what it was


def state_of(path):
    status = path.stat()
    return f'{status.st_size} {status.st_mtime_ns}'


def newest(folder):
    return max((path.stat().st_mtime_ns for path in folder.rglob('*') if path.is_file()), default=0)


def tests_of(build, label):
    """Name and state of each test with that label, as ctest knows them."""
    folders = {}
    for test in json.load(sys.stdin)['tests']:
        properties = {one['name']: one['value'] for one in test['properties']}
        if not any(re.search(label, one) for one in properties.get('LABELS', [])):
            continue
        program = pathlib.Path(test['command'][0])
        folder = pathlib.Path(properties['WORKING_DIRECTORY']).relative_to(build.resolve())
        for one in (folder, 'assets'):
            folders.setdefault(one, newest(ROOT / one))
        yield test['name'], [state_of(program), folders[folder], folders['assets']]


def notes_of(build):
    try:
        return json.loads((build / NOTES).read_text())
    except (OSError, ValueError):
        return {}


def list_changed(build, label):
    passed = notes_of(build)
    asked = dict(tests_of(build, label))
    (build / 'asked.json').write_text(json.dumps(asked))
    for name, state in asked.items():
        if passed.get(name) != state:
            print(name)


def keep_passed(build, cases):
    notes, asked = notes_of(build), json.loads((build / 'asked.json').read_text())
    for case in xml.etree.ElementTree.parse(cases).getroot().iter('testcase'):
        name = case.get('name')
        notes.pop(name, None)
        if name in asked and case.find('failure') is None and case.find('skipped') is None:
            notes[name] = asked[name]
    (build / NOTES).write_text(json.dumps(notes))


if __name__ == '__main__':
    {'list': list_changed, 'keep': keep_passed}[sys.argv[1]](pathlib.Path(sys.argv[2]), sys.argv[3])
