import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { messageOf } from '../../src/model/errors.ts'
import { rationaleFor, readFramework } from '../../src/report/compliance/framework.ts'

const config = join(import.meta.dirname, '../../config')

function refusal(text: string): string {
  try {
    readFramework(text, 'ours.yaml')
  } catch (error) {
    return messageOf(error)
  }
  throw new Error('the framework was read')
}

const head = 'framework: ours\ntitle: Ours\ncontrols:\n'

describe('a framework file', () => {
  it('is read with its controls in order, including those without evidence', () => {
    const text = `${head}  - { id: W-1, title: Signed, evidence: [{ rationale: Why., rules: ["endpoint/secret-*"] }] }
  - { id: W-2, title: On call }
`
    const framework = readFramework(text, 'ours.yaml')
    expect(framework).toEqual({
      id: 'ours',
      title: 'Ours',
      controls: [
        { id: 'W-1', title: 'Signed', evidence: [{ rationale: 'Why.', rules: ['endpoint/secret-*'] }] },
        { id: 'W-2', title: 'On call', evidence: [] },
      ],
    })
    const [signed] = framework.controls
    if (signed === undefined) throw new Error('there is no control')
    expect(rationaleFor(signed, 'endpoint/secret-weak')).toBe('Why.')
    expect(rationaleFor(signed, 'endpoint/url-not-https')).toBeUndefined()
  })

  it('may name the document of its identifiers, which may have parentheses', () => {
    const text = 'framework: ours\ntitle: Ours\nsource: Our handbook, 3\ncontrols: [{ id: 9(4)(d), title: Keys }]\n'
    expect(readFramework(text, 'ours.yaml')).toMatchObject({ source: 'Our handbook, 3', controls: [{ id: '9(4)(d)' }] })
  })

  it('is refused with line and column of each mistake', () => {
    expect(refusal(`${head}  - { id: W-1, titel: x }\n`)).toMatch(/ours\.yaml:4:\d+: .*titel/)
    expect(refusal(`${head}  - { id: 2.2, title: x }\n`)).toMatch(/ours\.yaml:4:11: /)
    expect(refusal(`${head}  - { id: W-1, title: x }\n  - { id: W-1, title: y }\n`)).toBe(
      'ours.yaml:5:11: control W-1 is listed twice',
    )
    expect(refusal(`${head}  - { id: W-1, title: x, evidence: [{ rationale: Why., rules: [] }] }\n`)).toMatch(
      /ours\.yaml:4:\d+: /,
    )
  })

  it('has a published schema, which every built-in framework follows', () => {
    const schema = JSON.parse(readFileSync(join(config, 'framework.schema.json'), 'utf8'))
    const validate = new Ajv2020({ strict: true }).compile(schema)
    for (const file of readdirSync(join(config, 'frameworks'))) {
      validate(parse(readFileSync(join(config, 'frameworks', file), 'utf8')))
      expect(validate.errors, file).toBeNull()
    }
  })
})
