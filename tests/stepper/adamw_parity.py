"""adamw_parity.py PROGRAM: the stepper adamw beside torch.optim.AdamW in fp64, given its gradients."""

import json
import subprocess
import sys

try:
    import torch
except ImportError:
    print("skipped: this Python has no torch")
    sys.exit(77)

LEAST = 1e-12


def largest_difference(program, settings):
    answer = subprocess.run([program, "step", "adamw", "--format", "json", *settings], check=True,
                            capture_output=True, text=True)
    document = json.loads(answer.stdout)
    inputs = document["inputs"]
    parameter = torch.nn.Parameter(torch.tensor(1.0, dtype=torch.float64))
    optimizer = torch.optim.AdamW(
        [parameter], lr=inputs["lr_millionths"] / 1e6, weight_decay=inputs["decay_thousandths"] / 1000,
        betas=(inputs["beta1_thousandths"] / 1000, inputs["beta2_thousandths"] / 1000))
    at = {name: place for place, name in enumerate(document["columns"])}
    largest = 0.0
    for step in document["steps"][1:]:
        parameter.grad = torch.tensor(step["numbers"][at["g"]], dtype=torch.float64)
        optimizer.step()
        state = optimizer.state[parameter]
        for name, theirs in (("p", parameter), ("m", state["exp_avg"]), ("v", state["exp_avg_sq"])):
            largest = max(largest, abs(step["numbers"][at[name]] - theirs.item()))
    return largest


def main(program):
    for settings in ([], ["steps=200", "noise_percent=150", "decay_thousandths=100"],
                     ["beta1_thousandths=0", "beta2_thousandths=990", "lr_millionths=3000"]):
        found = largest_difference(program, settings)
        print(settings, found)
        if not found <= LEAST:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
