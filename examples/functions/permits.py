# SPDX-License-Identifier: Apache-2.0
"""Runs calls under permits of Writ. Needs Python 3.9 and no package."""

import http.client
import json
import os
import secrets
import sys
import threading
import time
import urllib.error
import urllib.request

URL = os.environ.get("WRIT_URL", "http://127.0.0.1:7480")


class Problem(Exception):
    """An answer that no repetition changes. `code` is that of the problem, such as `permit.expired`."""

    @classmethod
    def of(cls, error):
        """The problem in an answer of 4xx. Another server than Writ's may answer with anything."""
        try:
            problem = json.load(error)
            return cls(problem["code"], problem.get("detail", ""))
        except (OSError, http.client.HTTPException, ValueError, TypeError, LookupError, AttributeError):
            return cls(f"http {error.code}", f"{error.url} answers as no API of Writ does")

    def __init__(self, code, detail):
        super().__init__(f"{code}: {detail}")
        self.code = code


class Refused(Exception):
    """The function did nothing, and says why."""


class Writ:
    """The API, for the holder of one key."""

    def __init__(self, key):
        self._key = key

    def send(self, path, body, headers=None):
        """
        Sends a request until it is answered. Each request of these files may be repeated. The first failure is shown.
        """
        pause = 0.2
        shown = False
        while True:
            request = urllib.request.Request(
                URL + path,
                data=json.dumps(body).encode(),
                headers={"authorization": f"Bearer {self._key}", "content-type": "application/json", **(headers or {})},
            )
            try:
                with urllib.request.urlopen(request, timeout=90) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                if error.code < 500 and error.code != 429:
                    raise Problem.of(error) from error
                reason = error
            except (OSError, http.client.HTTPException, ValueError) as error:
                reason = error  # no answer came, or half of one
            if not shown:
                shown = True
                print(f"{URL} does not answer as it should: {reason}; trying again", file=sys.stderr, flush=True)
            time.sleep(pause)
            pause = min(2 * pause, 5)


def run(writ, permit, function):
    """
    Redeems a permit, runs `function(args, operation_id, stop)`, and reports what it returns.

    The function returns the result. It raises `Refused` where nothing took
    effect. After any other exception something may have, and the report says so.
    """
    proof = {"permit": permit, "nonce": secrets.token_hex(16)}
    call = writ.send("/v1/permits/redemptions", proof)
    ended = threading.Event()
    stop = threading.Event()

    def renew():
        while not ended.wait(call["lease_ms"] / 3000):
            try:
                if writ.send("/v1/permits/renewals", proof)["stop"]:
                    stop.set()
            except Problem:
                stop.set()  # the attempt isn't ours any more
                return

    threading.Thread(target=renew, daemon=True).start()
    try:
        outcome = {"outcome": "succeeded", "result": function(call["args"], call["operation_id"], stop)}
    except Refused as error:
        outcome = {"outcome": "failed", "message": str(error)}
    except Exception as error:  # whatever it was, the call must not stay without a report
        outcome = {"outcome": "unknown", "message": f"{type(error).__name__}: {error}"[:2000]}
    finally:
        ended.set()
    return call["operation_id"], writ.send("/v1/permits/reports", {**proof, "outcome": outcome})
