"""The compose files: by Compose, by the specification, and by what the program knows."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import compose_spec
import jsonschema
import yaml

import known

COMPOSE = known.REPOSITORY / "packaging/compose"
# The schema of the specification, which an npm package has.
SCHEMA = known.REPOSITORY / "tests/packages/node_modules/dclint/schemas/compose.schema.json"
FILES = sorted(COMPOSE.glob("*/compose.yaml"))


class Compose(unittest.TestCase):
    """Both files, in a copy where the secrets have been made."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("SCRATCH") or None))
        shutil.copytree(COMPOSE, cls.scratch / "compose", ignore=shutil.ignore_patterns(".env", "secrets"))
        shutil.copytree(COMPOSE.parent / "monitoring", cls.scratch / "monitoring")
        cls.prepared = subprocess.run([cls.scratch / "compose/postgres/prepare"], check=True, capture_output=True, text=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.scratch)

    def read(self, name):
        """The file as Compose understands it."""
        done = subprocess.run(["docker-compose", "--file", "compose.yaml", "config"], cwd=self.scratch / "compose" / name,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return yaml.safe_load(done.stdout)

    def test_there_are_two(self):
        self.assertEqual([file.parent.name for file in FILES], ["postgres", "sqlite"])

    def judge(self, text):
        """Refuses what the schema of the specification does, and what its own kinds do, once PyYAML has merged it."""
        merged = yaml.safe_load(text)
        jsonschema.validate(merged, json.loads(SCHEMA.read_text(encoding="utf-8")))
        merged = {key: value for key, value in merged.items() if not key.startswith("x-")}
        compose_spec.ComposeSpecification.model_validate_json(json.dumps(merged))

    def test_they_are_what_the_specification_allows(self):
        for file in FILES:
            self.judge(file.read_text(encoding="utf-8"))

    def test_what_is_not_compose_is_refused(self):
        """That these checks can fail: the schema on names, the specification's on kinds, Compose's on both."""
        for wrong in ("services: { a: { imaje: b } }", "services: { a: { image: [b] } }", "service: { a: { image: b } }"):
            with self.subTest(wrong):
                with self.assertRaises(jsonschema.ValidationError):
                    self.judge(wrong)
                place = self.scratch / "compose/wrong"
                place.mkdir(exist_ok=True)
                (place / "compose.yaml").write_text(wrong, encoding="utf-8")
                with self.assertRaises(AssertionError):
                    self.read("wrong")
        with self.assertRaises(ValueError):
            compose_spec.ComposeSpecification.model_validate_json('{"services": {"a": {"image": ["b"]}}}')

    def test_the_example_of_an_override_is_taken(self):
        """docs/installing.md adds a secret, a file and a variable to each of the two."""
        text = (known.REPOSITORY / "docs/installing.md").read_text(encoding="utf-8")
        examples = dict(re.findall(r"```yaml (\w+)/compose.override.yaml\n(.*?)```", text, re.DOTALL))
        self.assertEqual(sorted(examples), ["postgres", "sqlite"])
        for name, example in examples.items():
            self.judge(example)
            place = self.scratch / f"compose/overridden-{name}"
            shutil.copytree(self.scratch / "compose" / name, place)
            (place / "compose.override.yaml").write_text(example, encoding="utf-8")
            done = subprocess.run(["docker-compose", "config"], cwd=place, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            merged, plain = yaml.safe_load(done.stdout)["services"], self.read(name)["services"]
            for service, override in yaml.safe_load(example)["services"].items():
                variables = {name: str(value) for name, value in merged[service]["environment"].items()}
                self.assertLess(plain[service]["environment"].items(), variables.items(), "it only adds")
                for variable, value in override["environment"].items():
                    self.assertEqual(variables[variable], str(value))
                    self.assertTrue(known.takes("serve", variable), variable)
                secrets = {s if isinstance(s, str) else s["source"] for s in merged[service]["secrets"]}
                for path in (value for value in variables.values() if value.startswith("/run/secrets/")):
                    self.assertIn(path.removeprefix("/run/secrets/"), secrets)
                for path in (value for value in variables.values() if value.startswith("/etc/flagstone/")):
                    self.assertTrue([v for v in merged[service]["volumes"] if v.split(":")[1] == path], path)

    def test_what_they_set_is_known(self):
        for file in FILES:
            for name, service in self.read(file.parent.name)["services"].items():
                if "flagstone" not in service["image"]:
                    continue
                command = (service.get("command") or ["serve"])[0]
                self.assertIn(command, ("serve", "edge"))
                for variable in service.get("environment", {}):
                    self.assertTrue(known.takes(command, variable), f"{variable} of {name} in {file}")

    def test_they_are_confined(self):
        for file in FILES:
            for name, service in self.read(file.parent.name)["services"].items():
                if "flagstone" in service["image"]:
                    self.assertTrue(service["read_only"], name)
                    self.assertEqual(service["cap_drop"], ["ALL"], name)
                    self.assertIn("no-new-privileges:true", service["security_opt"])
                    self.assertEqual(service["healthcheck"]["test"][:3], ["CMD", "/usr/bin/flagstone", "check"])
                for port in service.get("ports", []):
                    self.assertTrue(str(port).startswith("127.0.0.1:"), f"{name} is open to others at {port}")

    def test_what_they_mount_is_there(self):
        services = self.read("postgres")["services"]
        mounted = [volume for service in services.values() for volume in service.get("volumes", [])]
        files = [volume.split(":")[0] for volume in mounted if volume.startswith("/")]
        self.assertEqual(len(files), 6)
        for file in files:
            self.assertTrue(pathlib.Path(file).is_file(), file)

    def test_secrets_are_files_alone(self):
        """Each that a variable names is given to its container and is made by prepare, and no variable holds one."""
        compose = self.read("postgres")
        files = {name: pathlib.Path(secret["file"]) for name, secret in compose["secrets"].items()}
        held = {name: file.read_text(encoding="utf-8") for name, file in files.items()}
        self.assertGreaterEqual(min(len(secret) for secret in held.values()), 24)
        used = set()
        for name, service in compose["services"].items():
            given = {secret if isinstance(secret, str) else secret["source"] for secret in service.get("secrets", [])}
            named = {value.removeprefix("/run/secrets/") for variable, value in service.get("environment", {}).items()
                     if variable.endswith("_FILE")}
            self.assertEqual(given, named, name)
            used |= given
            for variable, value in service.get("environment", {}).items():
                self.assertFalse([secret for secret in held.values() if secret in str(value)], f"{variable} of {name}")
                if "flagstone" in service["image"] and not variable.endswith("_FILE"):
                    self.assertNotRegex(variable, "PASSWORD|TOKEN|KEY|DATABASE_URL", name)
        self.assertEqual(used, set(files))

    def test_the_parts_fit_each_other(self):
        services = self.read("postgres")["services"]
        servers = [services["flagstone-1"], services["flagstone-2"]]
        self.assertEqual(servers[0]["environment"], servers[1]["environment"], "two nodes of one database")
        self.assertEqual(services["edge"]["environment"]["TOKENS_FILE"],
                         servers[0]["environment"]["INIT_CLIENT_API_TOKENS_FILE"])
        secrets = self.scratch / "compose/postgres/secrets"
        self.assertIn((secrets / "postgres-password").read_text(encoding="utf-8"),
                      (secrets / "database-url").read_text(encoding="utf-8"))
        source = yaml.safe_load((COMPOSE / "postgres/grafana/datasources.yaml").read_text(encoding="utf-8"))
        self.assertEqual(source["datasources"][0]["type"], "prometheus")

    def test_prometheus_takes_its_file(self):
        place = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        text = (COMPOSE / "postgres/prometheus.yml").read_text(encoding="utf-8")
        (place / "prometheus.yml").write_text(text.replace("/etc/prometheus/", ""), encoding="utf-8")
        shutil.copy(self.scratch / "compose/postgres/secrets/metrics-token", place)
        shutil.copy(COMPOSE.parent / "monitoring/flagstone.rules.yml", place)
        done = subprocess.run(["promtool", "check", "config", "prometheus.yml"], cwd=place, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        hosts = {target.split(":")[0] for job in yaml.safe_load(text)["scrape_configs"]
                 for group in job["static_configs"] for target in group["targets"]}
        self.assertLessEqual(hosts, set(self.read("postgres")["services"]))

    def test_secrets_are_made_once_and_for_one_reader(self):
        place = self.scratch / "compose/postgres"

        def secrets():
            return {file.name: file.read_text(encoding="utf-8") for file in (place / "secrets").iterdir()}

        before = secrets()
        self.assertEqual((place / ".env").stat().st_mode & 0o777, 0o600)
        self.assertEqual((place / "secrets").stat().st_mode & 0o777, 0o700)
        again = subprocess.run([place / "prepare"], check=True, capture_output=True, text=True)
        self.assertIn("nothing was changed", again.stdout)
        self.assertEqual(secrets(), before)
        for secret in before.values():
            self.assertNotIn(secret, self.prepared.stdout, "a secret is printed")

    def test_what_was_made_before_there_were_files_is_kept(self):
        place = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        shutil.copy(COMPOSE / "postgres/prepare", place)
        (place / ".env").write_text("POSTGRES_PASSWORD=as-it-was\nFLAGSTONE_EDGE_TOKEN=*:production.as-it-was\n"
                                    "FLAGSTONE_SECRET_KEY=AAAA=\nFLAGSTONE_IMAGE=flagstone:mine\n", encoding="utf-8")
        subprocess.run([place / "prepare"], check=True, capture_output=True)
        kept = {name: (place / "secrets" / name).read_text(encoding="utf-8")
                for name in ("postgres-password", "database-url", "edge-token", "secret-key")}
        self.assertEqual(kept, {"postgres-password": "as-it-was", "edge-token": "*:production.as-it-was",
                                "database-url": "postgres://flagstone:as-it-was@postgres/flagstone", "secret-key": "AAAA="})
        self.assertEqual((place / ".env").read_text(encoding="utf-8"),
                         "FLAGSTONE_SECRETS=./secrets\nFLAGSTONE_IMAGE=flagstone:mine\n")

    def test_without_secrets_it_says_what_to_do(self):
        place = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        shutil.copy(COMPOSE / "postgres/compose.yaml", place)
        done = subprocess.run(["docker-compose", "--file", "compose.yaml", "config"], cwd=place, capture_output=True,
                              text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("run ./prepare first", done.stderr)


if __name__ == "__main__":
    unittest.main()
