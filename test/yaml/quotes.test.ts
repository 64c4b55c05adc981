import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readConfiguration } from '../../src/config/read-configuration.ts'
import { readState } from '../../src/config/state-file.ts'
import { messageOf } from '../../src/model/errors.ts'
import { readDocument } from '../../src/model/yaml/read-document.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { readPolicyTests } from '../../src/policy/read-policy-tests.ts'
import { readPayload } from '../../src/policy/read-probes.ts'
import { readFramework } from '../../src/report/compliance/framework.ts'

function refusal(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    return messageOf(error)
  }
  throw new Error('it was read')
}

const files =
  (text: string, first = 'extends: [./other]\n') =>
  (file: string) =>
    file === '/policy.yaml' ? first : text

/** All readers of files that a user can name. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  policy: (text) => readPolicy('/policy.yaml', () => text),
  'extended policy': (text) => readPolicy('/policy.yaml', files(text)),
  'policy tests': (text) => readPolicyTests('/policy.yaml', files(text, 'tests: [./other.yaml]\n'), []),
  configuration: (text) => readConfiguration('/hookdrift.yaml', { env: {}, readFile: () => text }),
  'parts of a configuration': (text) =>
    readConfiguration('/hookdrift.yaml', { env: {}, readFile: () => text }, { needs: ['history'] }),
  framework: (text) => readFramework(text, 'f.yaml'),
  state: (text) => readState(text, 'f.yaml'),
  payload: (text) => {
    const read = readPayload(text)
    if ('fault' in read) throw new Error(read.fault)
  },
}

/** Files with a secret, named by mistake or by someone who wants to read them. */
const foreign = {
  'a key of a service': ['sk_live_abcdefABCDEF123456\n', 'sk_live'],
  'a password of words': ['correct-horse-battery\n', 'horse'],
  'one short word': ['swordfish\n', 'swordfish'],
  digits: ['12345678\n', '1234'],
  'a text in quotes': ['"swordfish"\n', 'swordfish'],
  'a list of passwords': ['- swordfish\n- 12345678\n', 'swordfish'],
  'an assignment': ['PASSWORD=swordfish\n', 'swordfish'],
  'a mapping': ['password: swordfish\nuser: me\n', 'swordfish'],
  'a key that is a secret': ['sk_live_abcdefABCDEF123456: 1\n', 'sk_live'],
  'a random key': ['q7Xk2mP9vR4tY8wZ3nB6: 1\n', 'q7Xk2'],
  'a key and its value without a blank': ['password:swordfish\n', 'swordfish'],
  JSON: ['{"token":"swordfish"}\n', 'swordfish'],
  'JSON that is cut': ['{"token":"swordfish\n', 'swordfish'],
  'a private key': ['-----BEGIN PRIVATE KEY-----\nc3dvcmRmaXNo\n-----END PRIVATE KEY-----\n', 'c3dvcmRmaXNo'],
  'a line of a password file': ['root:$6$swordfish:19000:0:99999:7:::\n', 'swordfish'],
  'an alias': ['*swordfish\n', 'swordfish'],
  'a tag': ['!swordfish x\n', 'swordfish'],
  'a value in the place of a section': ['rules: p4ssw0rd9\nservices: p4ssw0rd9\n', 'p4ssw0rd9'],
} as const

describe('a message about an invalid file', () => {
  const cases = Object.keys(readers).flatMap((reader) => Object.keys(foreign).map((file) => [reader, file] as const))
  it.each(cases)('does not quote it: %s, %s', (reader, file) => {
    const [text, secret] = foreign[file as keyof typeof foreign]
    // Some are a valid JSON object, or lack nothing that paths need.
    let message = ''
    try {
      readers[reader]?.(text)
    } catch (error) {
      message = messageOf(error)
    }
    expect(message).not.toContain(secret)
  })

  it.each([
    ['swordfish', 'f.yaml:1:1: the file is a text, expected a mapping'],
    ['12345678', 'f.yaml:1:1: the file is a number, expected a mapping'],
    ['true', 'f.yaml:1:1: the file is true or false, expected a mapping'],
    ['[1]', 'f.yaml:1:1: the file is a list, expected a mapping'],
  ])('names the kind of value: %s', (text, message) => {
    const schema = z.strictObject({ name: z.string() })
    expect(refusal(() => readDocument(text, { file: 'f.yaml', schema }))).toBe(message)
  })
})

describe('a value at a known place of a file', () => {
  const schema = z.strictObject({
    mode: z.enum(['auto', 'off']).exactOptional(),
    client_secret: z.int().exactOptional(),
    key: z.int().exactOptional(),
    count: z.int().max(5).exactOptional(),
  })
  const said = (text: string) => refusal(() => readDocument(text, { file: 'f.yaml', schema }))

  it.each([
    ['mode: of', 'mode is "of"'],
    ['mode: 10 seconds', 'mode is "10 seconds"'],
    ['mode: 2026-13-45', 'mode is "2026-13-45"'],
    ['mode: https://hooks.example.com', 'mode is "https://hooks.example.com"'],
    ['count: 7', 'count is 7'],
    ['count: true', 'count is true'],
  ])('is shown when it is a word, a number or a few of them: %s', (text, message) => {
    expect(said(text)).toContain(message)
  })

  it.each([
    ['mode: p4ssw0rd9', 'mode is a text (not shown)'],
    ['mode: aB3$xY9!kQ2*', 'mode is a text (not shown)'],
    ['mode: AB12-CD34-EF56-GH78', 'mode is a text (not shown)'],
    ['mode: AKIAIOSFODNN7EXAMPLE', 'mode is a text (not shown)'],
    ['mode: https://me:x@example.com', 'mode is a text (not shown)'],
    ['client_secret: swordfish', 'client_secret has a value that does not fit (not shown)'],
    ['key: 1.5', 'key has a value that does not fit (not shown)'],
  ])('is not shown when it or its name looks like a secret: %s', (text, message) => {
    expect(said(text)).toContain(message)
  })
})
