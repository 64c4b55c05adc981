import { describe, expect, it } from 'vitest'
import { type FilterPart, outcomeOf, verdictOn } from '../../src/gateway/filters.ts'
import type { Json, JsonObject } from '../../src/model/json.ts'
import truth from './filter-truth.json' with { type: 'json' }

/** What the gateway's own code (`pkg/flatten`, `pkg/compare` of v26.7.3) answers to events, filter by filter. */
interface Answered {
  readonly part: FilterPart
  readonly filter: JsonObject
  /** What is certain, for all events. */
  readonly says: 'can match' | 'never' | 'fails'
  readonly events: readonly { readonly payload: Json; readonly truth: 'match' | 'no match' | 'error' }[]
}

const answered = truth as unknown as readonly Answered[]

function verdictOf({ part, filter }: Answered) {
  return verdictOn(part, filter, part === 'query' ? { origin: 'http' } : {})
}

/** A list of a value and null is the one thing that a bare null matches. */
function isNullInList({ filter }: Answered, payload: Json): boolean {
  return Object.values(filter).includes(null) && JSON.stringify(payload).includes('null]')
}

describe('the model of filters', () => {
  it('says what is certain, and nothing of what is not', () => {
    const said = answered.map((one) => {
      const { never, fails } = verdictOf(one)
      return [one.part, one.filter, fails === undefined ? (never === undefined ? 'can match' : 'never') : 'fails']
    })
    expect(said).toEqual(answered.map(({ part, filter, says }) => [part, filter, says]))
  })

  it('decides of one event as the gateway does, but for a few odd ones', () => {
    const outcomes = { true: 'match', false: 'no match', error: 'error' } as const
    const inObjects = answered.filter(({ part }) => part === 'body' || part === 'headers')
    const wrong = inObjects.filter(({ part, filter, events }) =>
      events.some(({ payload, truth }) => outcomes[`${outcomeOf(part, filter, payload)}`] !== truth),
    )
    const odd = [{ a: { $gt: '0x1p4' } }, { 'x.$.y': 'a' }]
    expect(wrong.map(({ filter }) => filter)).toEqual(odd)
  })

  it('calls no filter dead that let an event through', () => {
    const wrong = answered.filter(
      (one) =>
        verdictOf(one).never !== undefined &&
        one.events.some((event) => event.truth === 'match' && !isNullInList(one, event.payload)),
    )
    expect(wrong).toEqual([])
  })

  it('calls no filter failing that failed with no event', () => {
    const wrong = answered.filter(
      (one) => verdictOf(one).fails !== undefined && one.events.every((event) => event.truth !== 'error'),
    )
    expect(wrong).toEqual([])
  })

  it('knows many filters, and many answers', () => {
    const answers = answered.flatMap(({ events }) => events.map((event) => event.truth))
    expect(answered.length).toBeGreaterThan(120)
    expect(answers.length).toBeGreaterThan(200)
    expect(new Set(answers)).toEqual(new Set(['match', 'no match', 'error']))
  })
})

describe('where events come from', () => {
  it('decides how headers are spelled', () => {
    const verdict = (name: string) => verdictOn('headers', { [name]: 'eu' }, { origin: 'http' }).never
    expect(verdict('x-region')).toBe('the header `x-region` never arrives: it is `X-Region` there')
    expect(verdict('Host')).toBe('the header `Host` never arrives')
    expect(verdict('X-Region')).toBeUndefined()
    expect(verdict('X-Convoy-Source-Id')).toBeUndefined()
    expect(verdictOn('headers', { 'x-region': 'eu' }, { origin: 'other' })).toEqual({})
  })

  it('decides whether there are a query and a path', () => {
    expect(verdictOn('query', { a: '1' }, { origin: 'other' }).never).toBe('only events of http sources have a query')
    expect(verdictOn('path', { path: '/x' }, { origin: 'other' }).never).toBeDefined()
    expect(verdictOn('path', { path: { $neq: '/x' } }, { origin: 'other' })).toEqual({})
    expect(verdictOn('path', { path: '/x' }, { origin: 'http' })).toEqual({})
  })
})
