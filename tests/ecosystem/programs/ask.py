"""OpenFeature in Python through one of its providers, as the programs in JavaScript ask.

    ask.py ofrep | unleash | community
"""

import json
import os
import sys
import time

from openfeature import api
from openfeature.evaluation_context import EvaluationContext

URL = os.environ["ECOSYSTEM_URL"]
APPLICATION = os.environ["ECOSYSTEM_APPLICATION"]
TOKEN = os.environ["ECOSYSTEM_CLIENT_TOKEN"]
DIRECTORY = os.environ["ECOSYSTEM_DIRECTORY"]


def say(**line):
    """A line for who started this."""
    print(json.dumps(line), flush=True)


def provider(name):
    """The provider of that name."""
    if name == "ofrep":
        from openfeature.contrib.provider.ofrep import OFREPProvider

        return OFREPProvider(URL, headers_factory=lambda: {"Authorization": TOKEN})
    from UnleashClient.cache import FileCache

    cache = FileCache(APPLICATION, directory=DIRECTORY)
    if name == "community":
        from openfeature.contrib.provider.unleash import UnleashProvider

        found = UnleashProvider(f"{URL}/api", APPLICATION, TOKEN, cache=cache)
        # It has no option for intervals.
        found.client.unleash_refresh_interval = 1
        found.client.unleash_metrics_interval = 1
        return found
    from unleash_openfeature_python_provider import UnleashFlagProvider

    return UnleashFlagProvider(f"{URL}/api", APPLICATION, custom_headers={"Authorization": TOKEN}, refresh_interval=1,
                               metrics_interval=1, cache=cache)


def main():
    """Asks everything, waits for the change, and for the end of the input."""
    api.set_provider_and_wait(provider(sys.argv[1]))
    client = api.get_client()
    seven, eight = (EvaluationContext(targeting_key=user) for user in "78")
    say(flag="field.seven", context="8", value=client.get_boolean_value("field.seven", False, eight))
    for name in ("everyone", "nobody", "seven", "moving", "missing"):
        say(flag=f"field.{name}", context="7", value=client.get_boolean_value(f"field.{name}", False, seven))
    say(flag="field.text", context="7", value=client.get_string_value("field.text", "nothing", seven))
    say(flag="field.number", context="7", value=client.get_integer_value("field.number", -1, seven))
    say(flag="field.json", context="7", value=client.get_object_value("field.json", {}, seven))
    say(asked=True)
    while not client.get_boolean_value("field.moving", False, seven):
        time.sleep(0.1)
    say(arrived=True)
    sys.stdin.read()
    api.shutdown()


main()
