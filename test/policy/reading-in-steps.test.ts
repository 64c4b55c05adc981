import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inTime } from '../../src/app/load-policy.ts'
import { messageOf } from '../../src/model/errors.ts'
import { compileCustomRule } from '../../src/policy/cel/custom-rule.ts'
import { expectExpression } from '../../src/policy/cel/payload-expression.ts'
import { policySteps } from '../../src/policy/policy-steps.ts'
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

describe('reading a policy', () => {
  const large = `overrides:\n${'- { match: { uid: a }, rules: { endpoint/inactive: off } }\n'.repeat(2000)}`
  const custom = `custom:\n${Array.from({ length: 100 }, (_, index) => `- { id: a/b${index}, kind: endpoint, assert: "true", severity: low, message: m }\n`).join('')}`

  it('yields between files and within long steps', () => {
    const compiler = () => ({ compileCustomRule, expectExpression })
    const count = (text: string) => [...policySteps('/p.yaml', () => text, undefined, compiler)].length
    expect(count('rules: {}\n')).toBeGreaterThanOrEqual(5)
    expect(count(custom)).toBeGreaterThanOrEqual(100)
    expect(count(large)).toBeGreaterThanOrEqual(20)
  })

  it('is given up with an error when its time is over', async () => {
    let time = 0
    const clock = () => {
      time += 1000
      return time
    }
    await expect(
      inTime(
        policySteps('/p.yaml', () => custom),
        'reading the policy p.yaml',
        undefined,
        clock,
      ),
    ).rejects.toMatchObject({
      exitCode: 2,
      message: 'reading the policy p.yaml takes more than 10 s, the limit',
      advice: expect.any(String),
    })
  })

  it('lets the process do other work, and stops on request', async () => {
    const stop = new AbortController()
    const reason = new Error('SIGTERM')
    setImmediate(() => stop.abort(reason))
    const clock = () => 0
    await expect(
      inTime(
        policySteps('/p.yaml', () => custom),
        'reading',
        stop.signal,
        clock,
      ),
    ).rejects.toBe(reason)
  })

  it.each([
    ['unknown names', Array.from({ length: 30_000 }, (_, index) => `unheard-of-${index}: 1\n`).join('')],
    ['unknown rules', `rules:\n${Array.from({ length: 20_000 }, (_, index) => ` k${index}: &a${index} x\n`).join('')}`],
    [
      'waivers of unknown rules',
      `waivers:\n${Array.from({ length: 5000 }, (_, index) => `- {rule: endpoint/url-not-htttps-${index},match: {uid: a},owner: o,reason: r,expires: 2026-11-30}\n`).join('')}`,
    ],
    ['packs that there are not', `extends:\n${'- recommendeb\n'.repeat(40_000)}`],
  ])('reports the first of very many mistakes: %s', (_, text) => {
    const message = refusal({ '0.yaml': text })
    expect(message.split('\n').length).toBeLessThanOrEqual(51)
    expect(message).toMatch(/… and \d+ more$/)
  })
})
