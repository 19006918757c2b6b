# SPDX-License-Identifier: Apache-2.0
"""
Proposes a call of `billing.charge_by_caller`, and runs it here where the kernel admits it:

    python3 caller.py c-7 120

WRIT_KEY is the key of an agent, WRIT_TOKEN the id of its capability token, and WRIT_WORKSPACE that of a workspace.
"""

import os
import secrets
import sys

from billing import charge
from permits import Problem, Writ, run


def govern(writ, tool_id, args, function):
    """Runs `function` with these arguments if the kernel admits that. Returns the operation's id, and what came of it."""
    call = {
        "tool_id": tool_id,
        "args": args,
        "capability_token_id": os.environ["WRIT_TOKEN"],
        "workspace_id": os.environ["WRIT_WORKSPACE"],
    }
    # With this header a repeated request is the same call.
    operation = writ.send("/v1/tool-calls", call, {"idempotency-key": secrets.token_hex(16)})
    if operation.get("awaits") != "caller":
        return operation["operation_id"], operation["state"]  # refused, or held: an approval comes first
    permit = writ.send("/v1/permits/own", {"operation_id": operation["operation_id"]})["permit"]
    return run(writ, permit, function)


if __name__ == "__main__":
    customer, cents = sys.argv[1:]
    args = {"customer": customer, "cents": int(cents)}
    try:
        print(*govern(Writ(os.environ["WRIT_KEY"]), "billing.charge_by_caller", args, charge))
    except Problem as problem:
        sys.exit(str(problem))
