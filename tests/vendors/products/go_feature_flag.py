"""Judges flags as GO Feature Flag's own engine does, which its provider for Python carries with it: a line for each question."""

import json
import sys

from gofeatureflag_python_provider.wasm import EvaluateWasm, WasmFlagContext, WasmInput

engine = EvaluateWasm()
engine.initialize()
flags = json.loads(sys.stdin.readline())
for line in sys.stdin:
    key, context = json.loads(line)
    asked = WasmInput(flagKey=key, flag=flags[key], evalContext=context, flagContext=WasmFlagContext())
    told = engine.evaluate(asked)
    answer = {"value": told.value, "error": told.errorCode or None}
    print(json.dumps(answer), flush=True)
