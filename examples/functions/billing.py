# SPDX-License-Identifier: Apache-2.0
"""The function that the example governs. Put yours in its place."""

from permits import Refused


def charge(args, operation_id, stop):
    """
    Charges a customer. `operation_id` identifies the call: pass it on as an idempotency key where the other side takes
    one. `stop` is an event that is set when the call was stopped.
    """
    if args["customer"] == "c-0":
        raise Refused("there is no such customer")
    return {"charge": f"{operation_id}-{args['cents']}"}
