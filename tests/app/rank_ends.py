"""rank_ends.py TENSORSCOPE [ROUNDS [SEED]]: however a rank ends, the others end too, with one sentence, and leave
what they have.

A run of two to eight ranks is started; at several moments one of them is killed or stopped, or the launcher is.
Moments are states, not times: a rank has been started; it is connected to the others (it has Gloo's threads); it
steps. With ROUNDS: so many runs of 2, 4 or 8 ranks instead, where any rank is killed at any time after its start.
"""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

LONGEST = 240  # seconds; a test that hangs fails
TIMEOUT = 30
WORK = ["lm", "--set", "pass=full_step", "--set", "layers=2", "--set", "d_model=64", "--set", "heads=4", "--set",
        "vocab=256", "--set", "B=2", "--set", "T=16", "--set", "threads=1", "--steps", "1000000", "--parts", "trace"]


def ranks_of(launcher):
    """Process ids of the ranks by number, of those that live."""
    found = {}
    for process in pathlib.Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            parent = (process / "stat").read_text().rsplit(")", 1)[1].split()
            if parent[0] == "Z" or int(parent[1]) != launcher:
                continue
            for setting in (process / "environ").read_bytes().split(b"\0"):
                if setting.startswith(b"RANK="):
                    found[int(setting[5:])] = int(process.name)
        except (OSError, IndexError, ValueError):
            continue
    return found


def threads(process):
    names = []
    for task in pathlib.Path(f"/proc/{process}/task").glob("*"):
        try:
            names.append((task / "comm").read_text().strip())
        except OSError:
            pass
    return names


def wait_for(condition, what):
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise RuntimeError(f"never seen: {what}")


def started(launcher, world, _=None):
    return wait_for(lambda: (lambda ranks: ranks if len(ranks) == world else None)(ranks_of(launcher)), "all ranks")


def connected(launcher, world, _=None):
    ranks = started(launcher, world)
    wait_for(lambda: all(any("gloo" in name for name in threads(one)) for one in ranks.values()), "Gloo's threads")
    return ranks


def stepping(launcher, world, out):
    """Rank 0 has told that its steps are timed: those that are recorded, which all take together, are over."""
    ranks = connected(launcher, world)
    told = out / "rank-0.log"
    wait_for(lambda: "verdict.timing" in told.read_text(encoding="utf-8"), "timed steps")
    return ranks


def gone(processes):
    return all(not pathlib.Path(f"/proc/{one}").exists() or
               " Z " in pathlib.Path(f"/proc/{one}/stat").read_text() for one in processes)


def end_one(program, moment, world, rank, sent, timeout, shard):
    """The exit code, what was said, the ranks that left a result with its verdict, and the time it took."""
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name) / "out"
        with subprocess.Popen([program, "run", *WORK, "--world", str(world), "--shard", shard, "--timeout", str(timeout),
                               "--out", str(out)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as launcher:
            ranks = moment(launcher.pid, world, out)
            begin = time.monotonic()
            os.kill(launcher.pid if rank is None else ranks[rank], sent)
            said = launcher.communicate(timeout=LONGEST)[1]
            took = time.monotonic() - begin
            wait_for(lambda: gone(ranks.values()), "the end of all ranks")
        left = {}
        for one in range(world):
            file = out / f"rank-{one}" / "run.json"
            if file.exists():
                left[one] = json.loads(file.read_text(encoding="utf-8"))["verdict"]
        return launcher.returncode, said, left, took, (out / "trace.json").exists()


def check(program, what, moment, rank, sent, sentence, survivors, timeout=TIMEOUT, most=None, world=3,
          shard="none"):
    code, said, left, took, merged = end_one(program, moment, world, rank, sent, timeout, shard)
    lines = [line for line in said.splitlines() if line.startswith("tensorscope: ") and ": note: " not in line]
    problems = []
    if len(lines) != (1 if sentence else 0):
        problems.append(f"{len(lines)} sentences: {said}")
    elif sentence and sentence not in lines[0]:
        problems.append(f"'{lines[0]}' instead of '{sentence}'")
    if sentence and code != 1:
        problems.append(f"exit code {code}")
    if set(left) & set(survivors) != set(survivors):
        problems.append(f"ranks {sorted(left)} left a result, {survivors} should have")
    if sentence and left and not merged:
        problems.append("no timeline of what was recorded")
    if any(verdict == "ok" for verdict in left.values()):
        problems.append(f"verdicts {left}")
    if took > (most or timeout + 30):
        problems.append(f"it took {took:.1f} s")
    print(f"{what}: {took:.1f} s, exit code {code}, {lines[0] if lines else 'nothing said'}")
    return [f"{what}: {one}" for one in problems]


def any_time(program, rounds, seed):
    """The recorded part depends on the time; the sentence and the end of all do not."""
    chance = random.Random(seed)
    problems = []
    for i in range(rounds):
        world = chance.choice([2, 4, 8])
        rank, pause = chance.randrange(world), chance.uniform(0, 1.5 * world)

        def moment(launcher, ranks, _, pause=pause):
            found = started(launcher, ranks)
            time.sleep(pause)
            return found

        problems += check(program, f"{i + 1}: {world} ranks, rank {rank} killed {pause:.2f} s after its start", moment,
                          rank, signal.SIGKILL, f"Rank {rank} was ended by signal 9", [], world=world)
    return problems


def main():
    program = sys.argv[1]
    if len(sys.argv) > 2:
        problems = any_time(program, int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
        print("\n".join(problems) or "no rank outlives another one")
        return bool(problems)
    kill = "was ended by signal 9"
    problems = check(program, "rank 1 killed at its start", started, 1, signal.SIGKILL, "Rank 1 " + kill, [])
    problems += check(program, "rank 0 killed at its start", started, 0, signal.SIGKILL, "Rank 0 " + kill, [])
    problems += check(program, "rank 2 killed when connected", connected, 2, signal.SIGKILL, "Rank 2 " + kill, [])
    problems += check(program, "rank 0 killed in a step", stepping, 0, signal.SIGKILL, "Rank 0 " + kill, [1, 2])
    problems += check(program, "rank 2 killed in a step", stepping, 2, signal.SIGKILL, "Rank 2 " + kill, [0, 1])
    for world in (2, 4, 8):
        rank = world - 1
        problems += check(program, f"{world} ranks, rank {rank} killed in a step", stepping, rank, signal.SIGKILL,
                          f"Rank {rank} {kill}", list(range(rank)), world=world)
    for shard in ("zero1", "zero2", "zero3"):
        problems += check(program, f"{shard}, rank 1 killed in a step", stepping, 1, signal.SIGKILL, "Rank 1 " + kill,
                          [0, 2], shard=shard)
    problems += check(program, "rank 1 stopped in a step", stepping, 1, signal.SIGSTOP, "Rank 1 did not answer",
                      [0, 2], timeout=4, most=60)
    problems += check(program, "Control-C in a step", stepping, None, signal.SIGINT, "Cancelled", [0, 1, 2])
    problems += check(program, "the launcher killed in a step", stepping, None, signal.SIGKILL, None, [])
    print("\n".join(problems) or "no rank outlives another one")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
