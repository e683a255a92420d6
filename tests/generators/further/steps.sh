# Generators of TypeScript for bundlers: imports have no extension, and some of what they import is for modules alone. Sourced by
# tests/generators/run.
# shellcheck shell=bash disable=SC2154 # that sets them

readonly further=$here/further

further_tool() {
    local tool=$1
    shift
    "$further/node_modules/.bin/$tool" "$@"
}

prepare_further() {
    node_packages "$further"
    mkdir -p "$made/further"
    ln -sfn "$further/node_modules" "$made/further/node_modules"
}

# compile_for_bundlers NAME: the client as strictly as its templates allow, which hand `undefined` on to optional
# properties and read index signatures by name; then what calls it, as one file.
compile_for_bundlers() {
    local name=$1 status=0
    cp "$here/$name/call.ts" "$made/further/$name/"
    cat >"$made/further/$name/tsconfig.json" <<-CONFIGURATION
		{
		  "compilerOptions": {
		    "strict": true, "noImplicitOverride": true, "noFallthroughCasesInSwitch": true, "skipLibCheck": true,
		    "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "lib": ["es2022", "dom", "dom.iterable"],
		    "types": ["node"], "noEmit": true
		  },
		  "include": ["**/*.ts", "client/.kubb/*.ts"]
		}
	CONFIGURATION
    further_tool tsc --project "$made/further/$name" --pretty false >"$made/$name.tsc" || status=$?
    ((status == 0)) || [[ -s $made/$name.tsc ]] || return 1
    expect_warnings "$name" "$made/$name.tsc" || return 1
    further_tool esbuild "$made/further/$name/call.ts" --bundle --platform=node --target=node20 --log-level=warning \
        --outfile="$made/further/$name/call.cjs"
}

call_for_bundlers() { node "$made/further/$1/call.cjs"; }

begin_further() {
    rm -rf "${made:?}/further/$1"
    mkdir -p "$made/further/$1"
}

prepare_hey-api() { prepare_further; }
generate_hey-api() {
    begin_further hey-api
    further_tool openapi-ts --input "$document" --output "$made/further/hey-api/client" --client @hey-api/client-fetch --no-log-file
}
compile_hey-api() { compile_for_bundlers hey-api; }
call_hey-api() { call_for_bundlers hey-api; }

prepare_oazapfts() { prepare_further; }
generate_oazapfts() {
    begin_further oazapfts
    further_tool oazapfts "$document" "$made/further/oazapfts/client.ts"
}
compile_oazapfts() { compile_for_bundlers oazapfts; }
call_oazapfts() { call_for_bundlers oazapfts; }

prepare_kubb() { prepare_further; }
generate_kubb() {
    begin_further kubb
    # Its configuration is a module, which finds its plugins beside itself.
    cp "$here/kubb/kubb.config.mjs" "$made/further/"
    (cd "$made/further" && KUBB_ROOT=$made/further/kubb KUBB_DOCUMENT=$document NO_COLOR=1 DO_NOT_TRACK=1 \
        further_tool kubb generate --config kubb.config.mjs)
}
compile_kubb() { compile_for_bundlers kubb; }
call_kubb() { call_for_bundlers kubb; }

prepare_openapi-zod-client() { prepare_further; }
generate_openapi-zod-client() {
    begin_further openapi-zod-client
    further_tool openapi-zod-client "$document" --output "$made/further/openapi-zod-client/client.ts" --with-alias
}
compile_openapi-zod-client() { compile_for_bundlers openapi-zod-client; }
call_openapi-zod-client() { call_for_bundlers openapi-zod-client; }
