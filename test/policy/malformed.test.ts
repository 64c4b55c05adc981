import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { Kind, ProjectRef, Resource } from '../../src/model/resource.ts'
import { startDoubts } from '../../src/policy/doubts.ts'
import { createEvaluator } from '../../src/policy/evaluator.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { startAggregations } from '../../src/policy/run-aggregations.ts'
import { trackReads } from '../../src/policy/watch-reads.ts'
import { aggregateRule } from '../../src/rules/engine/rule.ts'

const project = (name: string): ProjectRef => ({ name: `acme/${name}`, service: 'acme', uid: name })
const [p, q] = [project('p'), project('q')]
const all = { isComplete: () => true }

function a(kind: Kind, uid: string, attributes: JsonObject, ...malformed: string[]): Resource {
  return { kind, uid, name: uid, attributes, volatile: {}, facts: {}, ...(malformed.length > 0 && { malformed }) }
}

const judgeOf = (rules: string) =>
  createEvaluator(
    readPolicy('policy.yaml', () => `extends: []\nrules: { ${rules} }`),
    0,
  )

describe('a resource with malformed fields', () => {
  const attributes = { status: 'x', rate_limit: 'y', config: { ssl: { on: 1, off: 2 } }, url: 'z', 'a/b': 3 }
  const resource = a('endpoint', 'e', attributes, '/rate_limit', '/config/ssl/on', '/a~1b')
  const reads = (read: (seen: JsonObject) => unknown, within = false) => {
    const { seen, hasRead } = trackReads(resource, { within })
    read(seen.attributes)
    return hasRead()
  }
  const sslOf = ({ config }: JsonObject) => Object(Object(config).ssl)

  it('tells when one is read, by whatever way', () => {
    expect(reads(({ rate_limit: limit }) => limit)).toBe(true)
    expect(reads((seen) => seen['a/b'])).toBe(true)
    expect(reads((seen) => sslOf(seen).on)).toBe(true)
    expect(reads((seen) => JSON.stringify(seen.config))).toBe(true)
    expect(reads((seen) => Object.entries(seen))).toBe(true)
    expect(reads((seen) => ({ ...seen }))).toBe(true)
  })

  it('does not tell of what stands beside it, nor of its name', () => {
    expect(reads(({ status, url }) => [status, url])).toBe(false)
    expect(reads((seen) => sslOf(seen).off)).toBe(false)
    expect(reads((seen) => [Object.keys(seen), 'rate_limit' in seen])).toBe(false)
    expect(JSON.stringify(trackReads(resource).seen.attributes)).toBe(JSON.stringify(attributes))
  })

  it('tells of what holds one, for those who keep it', () => {
    expect(reads(({ config }) => config, true)).toBe(true)
    expect(reads(({ url }) => url, true)).toBe(false)
  })

  it('takes little time, however many there are', () => {
    const secrets = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`s${at}`, { expires_at: 1 }]))
    const pointers = Object.keys(secrets).map((uid) => `/secrets/${uid}/expires_at`)
    const { seen, hasRead } = trackReads(a('endpoint', 'e', { secrets, url: 'z' }, ...pointers))
    expect([seen.attributes.url, hasRead()]).toEqual(['z', false])
    expect([Object.keys(Object(seen.attributes.secrets)).length, hasRead()]).toEqual([100_000, true])
  })
})

describe('a rule across resources', () => {
  const subscription = a('subscription', 's', { endpoint_uid: 'e' })

  it('says nothing of others by a field that cannot be read, and its silence means nothing', () => {
    const judge = judgeOf('subscription/target-not-active: {}')
    judge.evaluate(p, a('endpoint', 'e', { status: 'INACTIVE ' }, '/status'))
    judge.evaluate(p, subscription)
    expect(judge.concludeProject(p, all)).toEqual([])
    const about = { rule: 'subscription/target-not-active', kind: 'subscription', uid: 's' } as const
    expect([p, q].map((ref) => judge.doubts.isAbout(ref, about))).toEqual([true, false])
    expect(judge.doubts.isAbout(p, { ...about, rule: 'subscription/wildcard' })).toBe(false)
  })

  it('does not take for missing what it could not read', () => {
    const orphan = (...malformed: string[]) => {
      const judge = judgeOf('endpoint/orphan: {}')
      judge.evaluate(p, a('endpoint', 'e', { name: 'e' }))
      judge.evaluate(p, a('subscription', 's', { endpoint_uid: 5, name: 's' }, ...malformed))
      return judge.concludeProject(p, all).map(({ uid }) => uid)
    }
    expect([orphan('/name'), orphan('/endpoint_uid')]).toEqual([['e'], []])
  })

  it('is in doubt everywhere when it looks everywhere', () => {
    const judge = judgeOf('endpoint/secret-shared: {}')
    const secrets = { k: { value: `sealed:${'a'.repeat(32)}` } }
    judge.evaluate(p, a('endpoint', 'e1', { secrets }))
    judge.evaluate(p, a('endpoint', 'e2', { secrets }))
    judge.evaluate(q, a('endpoint', 'e3', { secrets: true }, '/secrets'))
    // What can be read is still found.
    expect(judge.concludeFleet(all).map(({ finding }) => finding.uid)).toEqual(['e1', 'e2'])
    const about = { rule: 'endpoint/secret-shared', kind: 'endpoint', uid: 'other' } as const
    expect([p, q].map((ref) => judge.doubts.isAbout(ref, about))).toEqual([true, true])
    expect(judge.statsOf(q).fewer).toEqual({ 'endpoint/secret-shared': 0 })
    expect(judge.statsOf(p).fewer).toEqual({})
  })

  it('that reads the field only when it concludes says nothing at all', () => {
    const rule = aggregateRule({
      ...{ id: 'test/late', title: 'late', severity: 'low', packs: [], kind: 'endpoint' },
      visits: ['endpoint'],
      scope: 'project',
      start: () => [] as { readonly attributes: unknown; readonly uid: string }[],
      visit(kept, { attributes, uid }) {
        kept.push({ attributes, uid })
      },
      *conclude(kept) {
        for (const { uid, attributes } of kept) {
          const message = String(Object(attributes).rate_limit)
          yield { at: { project: p, kind: 'endpoint', uid, name: uid }, path: '', message }
        }
      },
    })
    const foundBy = (...malformed: string[]) => {
      const doubts = startDoubts('')
      const bound = rule.bind({})
      const run = { now: 0, labelsOf: () => ({}), meter: { begin() {}, end() {}, isSpent: () => false } }
      const folds = startAggregations([{ rule, bound, severity: undefined, options: {} }], 'project', {
        ...{ where: p.name, run, doubts },
        failed: () => expect.unreachable(),
      })
      for (const uid of ['a', 'b']) {
        const resource = a('endpoint', uid, { rate_limit: 5, url: '' }, ...(uid === 'a' ? malformed : []))
        folds.visit(resource, { project: p, kind: 'endpoint', uid, name: uid }, () => true)
      }
      const found = folds.conclude(all).map(({ problem }) => problem.at.uid)
      return { found, inDoubt: doubts.holdsAny(p, 'test/late') }
    }
    expect(foundBy('/url')).toEqual({ found: ['a', 'b'], inDoubt: false })
    expect(foundBy('/rate_limit')).toEqual({ found: [], inDoubt: true })
  })
})

describe('a rule that fails on a malformed field', () => {
  it('could not judge that resource, and has no bug', () => {
    const judge = judgeOf('endpoint/secret-expired-active: {}')
    judge.evaluate(
      p,
      a('endpoint', 'e', { secrets: { k: { value: 'x', expires_at: { on: 1 } } } }, '/secrets/k/expires_at'),
    )
    expect([...judge.failuresIn(p)]).toEqual([])
    expect(judge.statsOf(p).fewer).toEqual({ 'endpoint/secret-expired-active': 0 })
  })
})
