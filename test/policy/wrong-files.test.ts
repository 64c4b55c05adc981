import { describe, expect, it } from 'vitest'
import { AuditError } from '../../src/model/errors.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { wrongFiles } from './wrong-files.ts'

function saysOf(text: string): string[] {
  try {
    readPolicy('/etc/policy.yaml', () => text)
  } catch (error) {
    if (!(error instanceof AuditError) || error.kind !== 'usage') throw error
    return error.message.split('\n').map((line) => line.replaceAll('/etc/policy.yaml:', ''))
  }
  return []
}

describe('a wrong policy file', () => {
  it.each(Object.entries(wrongFiles))('is refused at its line and column: %s', (_, [text, ...says]) => {
    expect(saysOf(text)).toEqual(says)
  })

  it('is reported with all its mistakes at once, of shape and of expressions', () => {
    const custom = (assert: string) =>
      `custom:\n  - { id: a/b, kind: endpoint, severity: low, message: "{resource.nme}", assert: ${assert} }\n`
    expect(saysOf(`extends: [tsl]\nrules: { endpoint/inactiv: off }\n${custom('2 > 1')}`)).toEqual([
      '1:11: `tsl` is not a pack, did you mean `tls`?',
      '2:10: `endpoint/inactiv` is unknown, did you mean `endpoint/inactive`?',
      '4:67: there is no field `nme` of endpoint, did you mean `name`?',
    ])
    expect(saysOf(custom('resource.urll == ""'))).toEqual([
      '2:67: there is no field `nme` of endpoint, did you mean `name`?',
      '2:91: there is no field `urll` of endpoint, did you mean `url`?',
    ])
  })
})
