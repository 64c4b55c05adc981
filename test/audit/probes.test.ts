import { describe, expect, it } from 'vitest'
import type { Fault } from '../../src/demo/fault.ts'
import { at, driftLines, violationLines } from './fleet-fixture.ts'
import { bad, good, held, intake, orders, ordersEntry, posts, probing } from './probes-fixture.ts'

describe('a probe', () => {
  it('runs a function with its payload, twice at first, and stores the result', async () => {
    await using fixture = await intake(good)
    const policy = orders()
    const one = await fixture.audit({ policy })
    expect(posts(fixture)).toBe(2)
    const two = await fixture.audit({ policy })
    expect(posts(fixture)).toBe(3)
    expect(
      [one, two].map(({ drift, violations, notices, verdict }) => [drift, violations, notices, verdict.exit_code]),
    ).toEqual([
      [[], [], [], 0],
      [[], [], [], 0],
    ]) // prettier-ignore
    expect(held(fixture)).toEqual([
      {
        uid: 'orders',
        probe: 'orders',
        target_kind: 'source',
        target_uid: fixture.first,
        target_name: expect.any(String),
        function: 'body',
        type: 'body',
        function_digest: expect.stringMatching(/^sealed:[0-9a-f]{32}$/),
        payload_digest: expect.stringMatching(/^sealed:[0-9a-f]{32}$/),
        outcome: 'ok',
        output: { data: { a: 1 }, event_type: 'order.created' },
        error: null,
        unexpected: null,
        deterministic: true,
      },
    ])
  })

  it('that fails is a violation of probe and source until the function is fixed', async () => {
    await using fixture = await intake(bad)
    const policy = orders()
    const one = await fixture.audit({ policy })
    expect(one.verdict.exit_code).toBe(1)
    expect(one.violations.map(({ kind, message, path }) => `${kind}${path}: ${message.slice(0, 62)}`)).toEqual([
      expect.stringMatching(/^probe\/outcome: the body function of .* \(01/),
      expect.stringMatching(/^source\/body_function: fails the probe orders: Error: boom 1/),
    ])
    fixture.set(fixture.first, { body_function: good })
    const two = await fixture.audit({ policy })
    expect(violationLines(two)).toEqual([
      'resolved probe/failed orders',
      `resolved source/function-broken ${fixture.first}`,
    ])
    expect(driftLines(two).filter((line) => line.includes('probe'))).toEqual([
      expect.stringMatching(/^modified probe orders \/error "Error: boom 1.*" -> null$/),
      'modified probe orders /outcome "failed" -> "ok"',
      'modified probe orders /output null -> {"data":{"a":1},"event_type":"order.created"}',
    ])
  })

  it('is a violation when its result breaks the expectation, and none when it meets it', async () => {
    await using fixture = await intake(good)
    const entry = (name: string, expect: string) =>
      `{ name: ${name}, match: { uid: ${fixture.first} }, function: body, payload: p.json, ${expect} }`
    const report = await fixture.audit({
      policy: probing(
        [
          entry('met', 'expect: "payload.event_type == \'order.created\'"'),
          entry('exact', 'expect_json: { event_type: order.created, data: { a: 1 } }'),
          entry('broken', 'expect: "payload.event_type == \'order.paid\'"'),
          entry('other', 'expect_json: { event_type: order.created, data: { a: 2 } }'),
        ].join(', '),
      ),
    })
    expect(report.violations.map(({ rule, uid, message }) => [rule, uid, message])).toEqual([
      ['probe/unexpected', 'broken', "the result breaks `payload.event_type == 'order.paid'`"],
      ['probe/unexpected', 'other', 'the result is not the JSON that is expected: it differs at /data/a'],
    ])
    expect(report.verdict.exit_code).toBe(1)
  })

  it('of a function that is not deterministic is noted, and its results are neither stored nor compared', async () => {
    await using fixture = await intake('function transform() { return { event_type: "x", data: Math.random() } }')
    const policy = orders()
    const [one, two] = [await fixture.audit({ policy }), await fixture.audit({ policy })]
    expect([one, two].map(violationLines)).toEqual([
      ['opened probe/output-changed orders'],
      ['continuing probe/output-changed orders'],
    ])
    expect(one.violations.map(({ severity }) => severity)).toEqual(['info'])
    expect([two.drift, two.verdict.exit_code]).toEqual([[], 0])
    expect(held(fixture)).toMatchObject([{ outcome: 'ok', output: null, deterministic: false }])
    expect(posts(fixture)).toBe(3)
  })

  it('of an unchanged function with another result for the same payload is a violation and drift in that run', async () => {
    await using fixture = await intake(good)
    const policy = orders()
    await fixture.audit({ policy })
    // The service was upgraded, and its engine writes numbers otherwise.
    const upgraded: Fault = {
      how: 'rewrite',
      path: /test_function/,
      times: 2,
      body: (text) => text.replace('"a":1', '"a":1.5'),
    }
    fixture.service.failNext(upgraded)
    const [two, three] = [await fixture.audit({ policy }), await fixture.audit({ policy })]
    expect(violationLines(two)).toEqual(['opened probe/output-changed orders'])
    expect(at(two.violations, 0)).toMatchObject({
      severity: 'medium',
      message: expect.stringMatching(/first at \/data\/a$/),
    })
    expect(driftLines(two)).toEqual(['modified probe orders /output/data/a 1 -> 1.5'])
    expect(violationLines(three)).toEqual(['resolved probe/output-changed orders'])
    expect(posts(fixture)).toBe(4)
  })

  it('is a violation until its result is the approved one again or a new baseline is approved', async () => {
    await using fixture = await intake(good)
    const policy = orders()
    await fixture.audit({ policy })
    await fixture.approve()
    // The engine writes numbers otherwise, in this run and the next three.
    const otherwise = (times: number): Fault => ({
      how: 'rewrite',
      path: /test_function/,
      times,
      body: (text) => text.replace('"a":1', '"a":1.5'),
    })
    fixture.service.failNext(otherwise(3))
    const [two, three] = [await fixture.audit({ policy }), await fixture.audit({ policy })]
    expect([two, three].map(violationLines)).toEqual([
      ['opened probe/output-changed orders'],
      ['continuing probe/output-changed orders'],
    ])
    expect(at(two.violations, 0).message).toMatch(/ than was approved, first at \/data\/a$/)
    await fixture.approve()
    expect(violationLines(await fixture.audit({ policy }))).toEqual(['resolved probe/output-changed orders'])
    expect(violationLines(await fixture.audit({ policy }))).toEqual(['opened probe/output-changed orders'])
    // Of another function than the approved one, the last run's result is what there is.
    fixture.set(fixture.first, { body_function: good.replace('order.created', 'order.made') })
    expect(violationLines(await fixture.audit({ policy }))).toEqual(['resolved probe/output-changed orders'])
    fixture.service.failNext(otherwise(1))
    const last = await fixture.audit({ policy })
    expect(violationLines(last)).toEqual(['opened probe/output-changed orders'])
    expect(at(last.violations, 0).message).toBe(
      'the same function gives another result for the same payload, first at /data/a',
    )
  })

  it('with another payload or function is run twice again and compared with nothing earlier', async () => {
    await using fixture = await intake(good)
    await fixture.audit({ policy: orders() })
    const two = await fixture.audit({ policy: probing(ordersEntry, { a: 2 }) })
    expect([two.drift, two.violations, posts(fixture)]).toEqual([[], [], 4])
    fixture.set(fixture.first, { body_function: good.replace('order.created', 'order.made') })
    const three = await fixture.audit({ policy: probing(ordersEntry, { a: 2 }) })
    expect(posts(fixture)).toBe(6)
    expect(violationLines(three)).toEqual([])
    expect(driftLines(three).filter((line) => line.includes(' probe '))).toEqual([
      'modified probe orders /output/event_type "order.created" -> "order.made"',
    ])
  })

  it('under another installation key is run twice again and compared with nothing', async () => {
    await using fixture = await intake(good)
    await fixture.audit({ policy: orders() })
    const two = await fixture.audit({ policy: orders(), installationKey: 2 })
    expect([driftLines(two), violationLines(two), posts(fixture)]).toEqual([[], [], 4])
  })
})
