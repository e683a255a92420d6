import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';

export default defineConfig({
  root: process.env.KUBB_ROOT,
  input: { path: process.env.KUBB_DOCUMENT },
  output: { path: './client', clean: true, format: false, lint: false, extension: { '.ts': '' } },
  plugins: [
    pluginOas({ generators: [], validate: false }),
    pluginTs({ output: { path: 'types.ts' } }),
    pluginClient({ client: 'fetch', bundle: true, dataReturnType: 'full', output: { path: 'calls.ts' } }),
  ],
});
