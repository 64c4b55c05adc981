import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messageOf } from '../../src/model/errors.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'

/** Policy files by name; counts how often each is read. */
function someFiles(texts: Readonly<Record<string, string>>) {
  const reads: string[] = []
  return {
    reads,
    readFile(file: string) {
      reads.push(file)
      const text = texts[file.slice(1)]
      if (dirname(file) !== '/' || text === undefined) throw new Error(`${file} is not there`)
      return text
    },
  }
}

const policyOf = (texts: Readonly<Record<string, string>>) => readPolicy('/0.yaml', someFiles(texts).readFile)

function refusal(texts: Readonly<Record<string, string>>) {
  try {
    policyOf(texts)
  } catch (error) {
    return messageOf(error)
  }
  return ''
}

/** Each file extends the next one twice, by two others in between. */
function diamonds(levels: number, last = 'extends: []\nrules: { endpoint/inactive: low }\n') {
  const texts: Record<string, string> = { [`${levels}.yaml`]: last }
  for (let level = 0; level < levels; level++) {
    texts[`${level}.yaml`] = `extends: [./${level}-a.yaml, ./${level}-b.yaml]\n`
    for (const side of ['a', 'b']) texts[`${level}-${side}.yaml`] = `extends: [./${level + 1}.yaml]\n`
  }
  return texts
}

const chain = (length: number) =>
  Object.fromEntries(
    Array.from({ length }, (_, index) => [
      `${index}.yaml`,
      `extends: [${index + 1 < length ? `./${index + 1}.yaml` : ''}]\n`,
    ]),
  )

describe('a policy that extends files', () => {
  it('reads each file once, even when it is extended in several ways', () => {
    const files = someFiles(diamonds(7))
    const policy = readPolicy('/0.yaml', files.readFile)
    expect(files.reads.length).toBe(new Set(files.reads).size)
    expect(policy.rules.map(({ rule, severity }) => [rule.id, severity])).toEqual([['endpoint/inactive', 'low']])
    expect(policy.layers.length).toBeLessThanOrEqual(2 * files.reads.length)
  })

  it('applies a file that is extended twice at its last position', () => {
    const base = 'extends: []\nrules: { endpoint/timeout-high: { severity: low, max_seconds: 10 } }\n'
    const a = 'extends: [./base.yaml]\nrules: { endpoint/timeout-high: { severity: high, max_seconds: 20 } }\n'
    const b = 'extends: [./base.yaml]\n'
    const severityOf = (order: string) => {
      const [active] = policyOf({
        '0.yaml': `extends: [${order}]\n`,
        'base.yaml': base,
        'a.yaml': a,
        'b.yaml': b,
      }).rules
      return [active?.severity, active?.options]
    }
    expect(severityOf('./b.yaml, ./a.yaml')).toEqual(['high', { max_seconds: 20 }])
    expect(severityOf('./a.yaml, ./b.yaml')).toEqual(['low', { max_seconds: 10 }])
  })

  it('counts overrides, waivers, probes and rules of a file once', () => {
    const last = `extends: []
overrides: [{ match: { uid: a }, rules: { endpoint/inactive: off } }]
waivers: [{ rule: endpoint/inactive, match: { uid: a }, owner: o, reason: r, expires: 2026-11-30 }]
custom: [{ id: a/b, kind: endpoint, assert: "true", severity: low, message: m }]
`
    const { overrides, waivers, allRules } = policyOf(diamonds(5, last))
    expect([overrides.length, waivers.length, allRules.filter(({ custom }) => custom !== undefined).length]).toEqual([
      1, 1, 1,
    ])
  })

  it('may be sixteen files deep, and the error names the place beyond', () => {
    expect(refusal(chain(16))).toBe('')
    expect(refusal(chain(17))).toBe(
      '/15.yaml:1:11: `./16.yaml` is more than 16 files deep, the limit: extend it from a file further up',
    )
  })

  it('counts the depth of a file that was read before', () => {
    const texts = {
      ...chain(14),
      '13.yaml': 'extends: [./x.yaml]\n',
      'x.yaml': 'extends: [./y.yaml]\n',
      'y.yaml': 'extends: [./z.yaml]\n',
      'z.yaml': 'extends: []\n',
    }
    expect(refusal({ ...texts, '0.yaml': 'extends: [./x.yaml, ./1.yaml]\n' })).toContain(
      '`./x.yaml` is more than 16 files deep',
    )
  })

  it('may have a hundred files, and the error names the first beyond', () => {
    const star = (count: number) => ({
      '0.yaml': `extends:\n${Array.from({ length: count }, (_, index) => `- ./${index + 1}.yaml\n`).join('')}`,
      ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index + 1}.yaml`, 'extends: []\n'])),
    })
    expect(refusal(star(99))).toBe('')
    expect(refusal(star(100))).toBe(
      '/0.yaml:101:3: a policy has at most 100 files, and this is one more: merge some of them',
    )
  })

  it('is refused where two files that it extends define the same rule, with both places', () => {
    const own = 'extends: []\ncustom: [{ id: a/b, kind: endpoint, assert: "true", severity: low, message: m }]\n'
    const texts = { '0.yaml': 'extends: [./1.yaml, ./2.yaml]\n', '1.yaml': own, '2.yaml': own }
    expect(refusal(texts)).toBe(
      '/0.yaml:1:10: `a/b` is defined twice in what this file extends, in /1.yaml:2:16 and /2.yaml:2:16',
    )
  })

  it('is refused when files extend each other in a circle', () => {
    const texts = {
      '0.yaml': 'extends: [./1.yaml]\n',
      '1.yaml': 'extends: [./2.yaml]\n',
      '2.yaml': 'extends: [./0.yaml]\n',
    }
    expect(refusal(texts)).toBe('/2.yaml:1:11: `./0.yaml` extends this file: a circle')
  })
})

describe('a limit of the policy is named in its error', () => {
  const many = (count: number, entry: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => `- ${entry(index)}\n`).join('')
  it.each([
    [
      'rules of its own',
      `custom:\n${many(501, (index) => `{ id: a/b${index}, kind: endpoint, assert: "true", severity: low, message: m }`)}`,
      '/0.yaml:2:1: custom has 501 entries, the limit is 500: remove some or split the list',
    ],
    [
      'probes',
      `probes:\n${many(1001, (index) => `{ name: p${index}, match: { uid: a }, function: body, payload: p.json }`)}`,
      '/0.yaml:2:1: probes has 1001 entries, the limit is 1000: remove some or split the list',
    ],
    [
      'characters of a message',
      `custom:\n- { id: a/b, kind: endpoint, assert: "true", severity: low, message: ${'m'.repeat(2001)} }`,
      '/0.yaml:2:70: message has more than 2000 characters, the limit: shorten it',
    ],
    [
      'characters of a reason',
      `waivers:\n- { rule: endpoint/inactive, match: { uid: a }, owner: o, reason: ${'r'.repeat(1001)}, expires: 2026-11-30 }`,
      '/0.yaml:2:67: reason has more than 1000 characters, the limit: shorten it',
    ],
  ])('%s', (_, text, said) => {
    expect(refusal({ '0.yaml': text })).toBe(said)
  })
})
