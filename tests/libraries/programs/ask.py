"""Asks through UnleashClient, as a server in Python does."""

import itertools
import json
import logging
import os
import sys
import threading
import time
from collections import Counter, defaultdict

from UnleashClient import UnleashClient
from UnleashClient.cache import FileCache


class CityShop:
    """On for the customers of one city."""

    def load_provisioning(self, parameters):
        return parameters["city"]

    def apply(self, parameters, context=None):
        return (context or {}).get("properties", {}).get("city") == parameters["city"]


def say(line):
    print(json.dumps(line), flush=True)


class Counts:
    """What the server is to be told, counted here as well."""

    def __init__(self):
        self.switched = defaultdict(Counter)
        self.variants = defaultdict(Counter)

    def add(self, flag, enabled, variant=None):
        self.switched[flag]["yes" if enabled else "no"] += 1
        if variant:
            self.variants[flag][variant] += 1

    def told(self):
        return {
            flag: {"yes": counts["yes"], "no": counts["no"], "variants": self.variants[flag]}
            for flag, counts in self.switched.items()
        }


def ask_all(client, story, counts):
    for question in story["questions"]:
        context = question["context"]
        for flag in question["flags"]:
            enabled = client.is_enabled(flag, context)
            variant = client.get_variant(flag, context)
            counts.add(flag, enabled)
            counts.add(flag, variant["feature_enabled"], variant["name"])
            answer = {"enabled": enabled, "variant": variant["name"], "payload": variant.get("payload")}
            say({"flag": flag, "context": question["name"], **answer})


def repeat(client, story, counts):
    """A story in which nothing moves is told round after round, until the program is dismissed."""
    dismissed = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), dismissed.set()), daemon=True).start()
    for number in itertools.count(1):
        say({"round": number})
        if dismissed.wait(0.05):
            return
        ask_all(client, story, counts)


def go_through(client, story):
    counts = Counts()
    ask_all(client, story, counts)
    say({"asked": True})
    if "moving" not in story:
        return repeat(client, story, counts)

    awaited = {story["moving"]["appears"]: True, story["moving"]["goes"]: False, story["moving"]["segment"]: True}
    while awaited:
        for flag, expected in list(awaited.items()):
            enabled = client.is_enabled(flag, {"userId": "somebody"})
            counts.add(flag, enabled)
            if enabled == expected:
                del awaited[flag]
        time.sleep(0.05)
    say({"arrived": True, "counted": counts.told()})


def main():
    # Where the machine is slow, it would tell of each poll that it left out.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    with open(os.environ["LIBRARY_STORY"], encoding="utf-8") as file:
        story = json.load(file)
    client = UnleashClient(
        url=os.environ["LIBRARY_URL"] + "/api",
        app_name=os.environ["LIBRARY_APPLICATION"],
        instance_id=os.environ["LIBRARY_INSTANCE"],
        environment="development",
        custom_headers={"Authorization": os.environ["LIBRARY_TOKEN"]},
        refresh_interval=1,
        metrics_interval=1,
        custom_strategies={"cityShop": CityShop()},
        cache=FileCache("flags", directory=os.environ["LIBRARY_DIRECTORY"]),
        verbose_log_level=logging.DEBUG,
        experimental_mode={"type": os.environ["LIBRARY_MODE"]},
    )
    client.initialize_client()
    while not client.feature_definitions():
        time.sleep(0.05)
    go_through(client, story)
    sys.stdin.read()
    client.destroy()


main()
