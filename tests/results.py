#!/usr/bin/env python3
"""The single cases that ctest ran: results.py JUNIT_FILE NAME

ctest knows programs; most of them run many cases of GoogleTest in one process. This reads what
`ctest --output-junit` wrote and prints what the failed cases said, why cases were skipped, which ran twice,
"Failed: NAME/PROGRAM: CASE" lines and "N passed, N failed, N skipped". Exit code 1 if a case failed
or none passed.
"""
import re
import sys
import xml.etree.ElementTree

RUN = '[ RUN      ] '
# "[       OK ] Suite.Case (0 ms)", with the parameter after a comma where it failed; behind what the
# case printed without an end of line.
END = re.compile(r'\[ +(OK|FAILED|SKIPPED) +\] ([^ ,]+).*\(\d+ ms\)$')


def cases(output):
    """Each case of GoogleTest: its name, its output, and its end (None where it has none)."""
    name, said = None, []
    for line in output:
        if RUN in line:
            if name:
                yield name, said, None
            name, said = line.partition(RUN)[2], []
        elif name and (end := END.search(line)) and end[2] == name:
            yield name, said, end[1]
            name = None
        elif name:
            said.append(line)
    if name:
        yield name, said, None


class Results:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []
        self.again = []

    def add(self, program):
        """Takes over one <testcase>: a program, or a script that is one case by itself."""
        name = program.get('name')
        output = (program.findtext('system-out') or '').splitlines()
        skipped = program.find('skipped')
        # ctest calls a program that it did not find skipped, too.
        went_wrong = (program.find('failure') is not None
                      or skipped is not None and not skipped.get('message').startswith('SKIP_'))
        # A case that failed and ran once more (gui/second_try.py) has its last end.
        found, failed = [], {}
        for case, said, end in cases(output):
            if case in failed:
                found[failed.pop(case)] = None
                self.again.append(f'{name}: {case}')
            if end not in ('OK', 'SKIPPED'):
                failed[case] = len(found)
            found.append((case, said, end))
        found = [one for one in found if one]
        bad = len(self.failed)
        for case, said, end in found:
            if end == 'OK':
                self.passed += 1
            elif end == 'SKIPPED':
                self.skipped.append((f'{name}: {case}', reason(said)))
            else:
                # Without an end the process died in it.
                self.failed.append((f'{name}: {case}', said))
        if went_wrong and len(self.failed) == bad:
            # It has no cases, did not get to them, or failed after the last.
            self.failed.append((name, output[-60:]))
        elif not found and skipped is not None:
            self.skipped.append((name, reason(output)))
        elif not found and not went_wrong:
            self.passed += 1


def reason(said):
    """The last line that is no place in a source."""
    words = [line.strip() for line in said
             if line.strip() and not re.match(r'^\S+:\d+: Skipped$', line)]
    return words[-1] if words else 'no reason given'


def main(path, where):
    results = Results()
    for program in xml.etree.ElementTree.parse(path).getroot().iter('testcase'):
        results.add(program)
    for name, said in results.failed:
        print('\n'.join([f'----- {where}/{name}', *said]))
    examples = {}
    for name, why in results.skipped:
        examples.setdefault(why, []).append(name)
    for why, names in examples.items():
        print(f'Skipped: {len(names)}, such as {names[0]}: {why}')
    for name in results.again:
        print(f'Ran twice: {where}/{name}')
    for name, _ in results.failed:
        print(f'Failed: {where}/{name}')
    print(f'{results.passed} passed, {len(results.failed)} failed, {len(results.skipped)} skipped')
    return 1 if results.failed or not results.passed else 0


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
