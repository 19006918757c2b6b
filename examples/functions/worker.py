# SPDX-License-Identifier: Apache-2.0
"""
Takes calls of a function as they come. WRIT_WORKER_KEY is an API key of the role `worker`, and WRIT_URL the address of
the API. End it with Ctrl+C.
"""

import os
import sys

from billing import charge
from permits import Problem, Writ, run


def main():
    writ = Writ(os.environ["WRIT_WORKER_KEY"])
    while True:
        try:
            permit = writ.send("/v1/permits/next?wait=30000", {})["permit"]
        except Problem as problem:
            # 401 for a key that is not valid, 403 for one of another role: no repetition changes that.
            sys.exit(f"no calls can be taken with this key at this address: {problem}")
        if permit is None:
            continue
        try:
            print(*run(writ, permit, charge), flush=True)
        except Problem as problem:
            # Another worker has the call, or it was ended: there is nothing more to do for it.
            print(problem, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
