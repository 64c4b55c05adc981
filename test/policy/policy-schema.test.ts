import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { policyJsonSchema } from '../../src/policy/policy-schema.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'

const config = join(import.meta.dirname, '../../config')

describe('the policy file', () => {
  it('has a current JSON Schema for editors', async () => {
    await expect(`${JSON.stringify(policyJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
      join(config, 'policy.schema.json'),
    )
  })

  it('has a working example', () => {
    const { rules } = readPolicy(join(config, 'policy.yaml'), (file) => readFileSync(file, 'utf8'))
    const ids = rules.map(({ rule }) => rule.id)
    expect(ids).toContain('subscription/retry-absent')
    expect(ids).not.toContain('project/retry-hammering')
  })
})
