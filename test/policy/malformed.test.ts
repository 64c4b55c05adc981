import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { Kind } from '../../src/model/resource.ts'
import { gatherDoubts, readDoubts } from '../../src/policy/doubts.ts'
import { ProjectRules } from '../../src/policy/project-rules.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { trackReads } from '../../src/policy/watch-reads.ts'
import { projectRule } from '../../src/rules/engine/define-rule.ts'
import { evaluateFleet } from './evaluate-fleet.ts'

const project = (name: string) => ({ name: `acme/${name}`, service: 'acme', uid: name })
const [p, q] = [project('p'), project('q')]
const all = { isComplete: () => true }

function a(kind: Kind, uid: string, attributes: JsonObject, ...malformed: string[]) {
  return { kind, uid, name: uid, attributes, volatile: {}, facts: {}, ...(malformed.length > 0 && { malformed }) }
}

const evaluatorOf = (rules: string) =>
  evaluateFleet(
    readPolicy('policy.yaml', () => `extends: []\nrules: { ${rules} }`),
    0,
  )

describe('a resource with malformed fields', () => {
  const attributes = { status: 'x', rate_limit: 'y', config: { ssl: { on: 1, off: 2 } }, url: 'z', 'a/b': 3 }
  const resource = a('endpoint', 'e', attributes, '/rate_limit', '/config/ssl/on', '/a~1b')
  const reads = (read: (seen: JsonObject) => unknown) => {
    const { seen, hasRead } = trackReads(resource)
    read(seen.attributes)
    return hasRead()
  }
  const sslOf = ({ config }: JsonObject) => Object(Object(config).ssl)

  it('records when a malformed field is read, in any way', () => {
    expect(reads(({ rate_limit: limit }) => limit)).toBe(true)
    expect(reads((seen) => seen['a/b'])).toBe(true)
    expect(reads((seen) => sslOf(seen).on)).toBe(true)
    expect(reads((seen) => JSON.stringify(seen.config))).toBe(true)
    expect(reads((seen) => Object.entries(seen))).toBe(true)
    expect(reads((seen) => ({ ...seen }))).toBe(true)
  })

  it('does not record reads of other fields, nor of its name', () => {
    expect(reads(({ status, url }) => [status, url])).toBe(false)
    expect(reads((seen) => sslOf(seen).off)).toBe(false)
    expect(reads((seen) => [Object.keys(seen), 'rate_limit' in seen])).toBe(false)
    expect(JSON.stringify(trackReads(resource).seen.attributes)).toBe(JSON.stringify(attributes))
  })

  it('takes little time with any number of fields', () => {
    const secrets = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`s${at}`, { expires_at: 1 }]))
    const pointers = Object.keys(secrets).map((uid) => `/secrets/${uid}/expires_at`)
    const { seen, hasRead } = trackReads(a('endpoint', 'e', { secrets, url: 'z' }, ...pointers))
    expect([seen.attributes.url, hasRead()]).toEqual(['z', false])
    expect([Object.keys(Object(seen.attributes.secrets)).length, hasRead()]).toEqual([100_000, true])
  })
})

describe('a rule across resources with malformed ones', () => {
  type About = Parameters<ReturnType<typeof readDoubts>['isAbout']>[0]
  const isAboutIn = (evaluator: ReturnType<typeof evaluatorOf>, about: About) =>
    [evaluator.doubtsIn(p), evaluator.doubtsIn(q)].map((doubts) => doubts.isAbout(about))
  const subscription = a('subscription', 's', { endpoint_uid: 'e' })

  it('finds nothing about others through an unreadable field, and its silence proves nothing', () => {
    const evaluator = evaluatorOf('subscription/target-not-active: {}')
    evaluator.of(p).evaluate(a('endpoint', 'e', { status: 'INACTIVE ' }, '/status'))
    evaluator.of(p).evaluate(subscription)
    expect(evaluator.of(p).conclude(all)).toEqual([])
    const about = { rule: 'subscription/target-not-active', kind: 'subscription', uid: 's' } as const
    expect(isAboutIn(evaluator, about)).toEqual([true, false])
    expect(evaluator.doubtsIn(p).isAbout({ ...about, rule: 'subscription/wildcard' })).toBe(false)
  })

  it('does not treat an unreadable resource as missing', async () => {
    const orphan = (...malformed: string[]) => {
      const evaluator = evaluatorOf('endpoint/orphan: {}')
      evaluator.of(p).evaluate(a('endpoint', 'e', { name: 'e' }))
      evaluator.of(p).evaluate(a('subscription', 's', { endpoint_uid: 5, name: 's' }, ...malformed))
      return evaluator
        .of(p)
        .conclude(all)
        .map(({ uid }) => uid)
    }
    expect([await orphan('/name'), await orphan('/endpoint_uid')]).toEqual([['e'], []])
  })

  it('is unknown for all resources when it reads the field for all', () => {
    const evaluator = evaluatorOf('endpoint/secret-shared: {}')
    const secrets = { k: { value: `sealed:${'a'.repeat(32)}` } }
    evaluator.of(p).evaluate(a('endpoint', 'e1', { secrets }))
    evaluator.of(p).evaluate(a('endpoint', 'e2', { secrets }))
    evaluator.of(q).evaluate(a('endpoint', 'e3', { secrets: true }, '/secrets'))
    // What can be read is still found.
    const { findings } = evaluator.concludeFleet()
    expect(findings.map(({ finding }) => finding.uid)).toEqual(['e1', 'e2'])
    const about = { rule: 'endpoint/secret-shared', kind: 'endpoint', uid: 'other' } as const
    expect(isAboutIn(evaluator, about)).toEqual([true, true])
    expect(evaluator.of(q).outcome().evaluated_by_rule).toEqual({ 'endpoint/secret-shared': 0 })
    expect(evaluator.of(p).outcome().evaluated_by_rule).toEqual({})
  })

  it('leaves out a resource of which it reads the field, also where that is late', () => {
    const rule = projectRule({
      id: 'test/late',
      title: 'late',
      severity: 'low',
      packs: [],
      kind: 'endpoint',
      reads: ['endpoint'],
      *check({ all }) {
        const kept = all('endpoint').map((at) => ({ at, attributes: at.attributes }))
        for (const { at, attributes } of kept) yield { at, path: '', message: String(attributes.rate_limit) }
      },
    })
    const foundBy = (...malformed: string[]) => {
      const doubts = gatherDoubts()
      const bound = rule.bind({})
      const run = { project: p, now: 0, labelsOf: () => ({}), meter: { begin() {}, end() {}, isSpent: () => false } }
      const active = { rule, bound, severity: undefined, options: {} }
      const options = { project: p, run, doubts, failed: () => expect.unreachable() }
      const rules = new ProjectRules([active], options)
      for (const uid of ['a', 'b']) {
        rules.take(a('endpoint', uid, { rate_limit: 5, url: '' }, ...(uid === 'a' ? malformed : [])))
      }
      const found = rules.check(all, () => true).map(({ problem }) => problem.at.uid)
      return { found, inDoubt: readDoubts(doubts.list()).hasAny('test/late') }
    }
    expect(foundBy('/url')).toEqual({ found: ['a', 'b'], inDoubt: false })
    expect(foundBy('/rate_limit')).toEqual({ found: ['b'], inDoubt: true })
  })
})

it('a rule that fails on a malformed field could not evaluate that resource, and is not reported as a bug', () => {
  const evaluator = evaluatorOf('endpoint/secret-expired-active: {}')
  evaluator
    .of(p)
    .evaluate(a('endpoint', 'e', { secrets: { k: { value: 'x', expires_at: { on: 1 } } } }, '/secrets/k/expires_at'))
  expect(Object.entries(evaluator.of(p).outcome().failures)).toEqual([])
  expect(evaluator.of(p).outcome().evaluated_by_rule).toEqual({ 'endpoint/secret-expired-active': 0 })
})
