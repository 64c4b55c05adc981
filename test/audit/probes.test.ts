import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { deleteSource, updateSource, updateSubscription } from '../../src/demo/edits.ts'
import type { Fault } from '../../src/demo/fault.ts'
import type { SourceRow } from '../../src/demo/rows.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { policyOf } from './audit-harness.ts'
import {
  at,
  driftLines,
  type FleetFixture,
  type FleetFixtureOptions,
  openFleetFixture,
  violationLines,
} from './fleet-fixture.ts'

/** One project with sources, the first of which has a body function. */
async function intake(body: string, options: Partial<FleetFixtureOptions['service']> = {}) {
  const fixture = await openFleetFixture({
    fleet: { incomingEvery: 1, sourcesPerProject: 3, endpointsPerProject: 2 },
    service: { functionLimitMs: 2_000, ...options },
    harness: { limits: { retries: 1 } },
  })
  const project = at(fixture.fleet.projects(), 0).uid
  const sources = fixture.fleet.open(project).sources
  // One that a subscription uses, so that it can be seen without the list of sources too.
  const used = fixture.fleet.open(project).subscriptions.map(({ source_id }) => source_id)
  const [first = ''] = sources.map(({ uid }) => uid).filter((uid) => used.includes(uid))
  const [second = ''] = sources.map(({ uid }) => uid).filter((uid) => uid !== first)
  const setSource = (uid: string, update: Partial<SourceRow>) => updateSource(fixture.fleet, { project, uid }, update)
  for (const { uid } of sources) setSource(uid, { body_function: null, header_function: null })
  setSource(first, { body_function: body })
  return Object.assign(fixture, { project, first, second, setSource })
}

type Intake = Awaited<ReturnType<typeof intake>>

/** Only rules about probes are on, so the report contains nothing else. */
function probing(probes: string, payload: unknown = { a: 1 }, files: Record<string, string> = {}): Policy {
  const rules =
    'rules: { probe/failed: {}, probe/unexpected: {}, probe/output-changed: {}, source/function-broken: {} }'
  return policyOf(`extends: []\n${rules}\nprobes: [${probes}]`, { '/etc/p.json': JSON.stringify(payload), ...files })
}

const ordersEntry = '{ name: orders, match: { kind: source }, function: body, payload: p.json }'
const orders = (more = '') => probing(ordersEntry.replace(/ }$/, `${more} }`))

const good = 'function transform(p) { return { event_type: "order.created", data: p } }'
const bad = 'function transform(p) { throw new Error("boom " + p.a) }'

const posts = ({ service }: Pick<FleetFixture, 'service'>) =>
  service.requests.filter(({ method }) => method === 'POST').length

/** The outcomes that the history holds now. */
function held(fixture: Pick<FleetFixture, 'query'>) {
  return fixture
    .query<{ uid: string; body: string }>("SELECT uid, body FROM current_resource WHERE kind = 'probe' ORDER BY uid")
    .map(({ uid, body }) => ({ uid, ...JSON.parse(body) }))
}

/** The violations of a probe whose function fails. */
const linesOf = (state: string, { first }: Intake) => [
  `${state} probe/failed orders`,
  `${state} source/function-broken ${first}`,
]

describe('a probe', () => {
  it('runs a function with its payload, twice at first, and stores the result', async () => {
    await using fixture = await intake(good)
    const policy = orders()
    const one = await fixture.audit({ policy })
    expect(posts(fixture)).toBe(2)
    const two = await fixture.audit()
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
      expect.stringMatching(/^source\/body_function: fails probe orders: Error: boom 1/),
    ])
    fixture.setSource(fixture.first, { body_function: good })
    const two = await fixture.audit()
    expect(violationLines(two)).toEqual(linesOf('resolved', fixture))
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
      ['probe/unexpected', 'broken', "the result does not satisfy `payload.event_type == 'order.paid'`"],
      ['probe/unexpected', 'other', 'the result differs from the expected JSON at /data/a'],
    ])
    expect(report.verdict.exit_code).toBe(1)
  })

  it('of a function that is not deterministic is noted, and its results are neither stored nor compared', async () => {
    await using fixture = await intake('function transform() { return { event_type: "x", data: Math.random() } }')
    const policy = orders()
    const [one, two] = [await fixture.audit({ policy }), await fixture.audit()]
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
    const [two, three] = [await fixture.audit(), await fixture.audit()]
    expect(violationLines(two)).toEqual(['opened probe/output-changed orders'])
    expect(at(two.violations, 0)).toMatchObject({
      severity: 'medium',
      message: expect.stringMatching(/^result differs from the previous one at \/data\/a /),
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
    const [two, three] = [await fixture.audit(), await fixture.audit()]
    expect([two, three].map(violationLines)).toEqual([
      ['opened probe/output-changed orders'],
      ['continuing probe/output-changed orders'],
    ])
    expect(at(two.violations, 0).message).toMatch(/^result differs from the approved one at \/data\/a /)
    await fixture.approve()
    expect(violationLines(await fixture.audit())).toEqual(['resolved probe/output-changed orders'])
    expect(violationLines(await fixture.audit())).toEqual(['opened probe/output-changed orders'])
    // Of another function than the approved one, the last run's result is what there is.
    fixture.setSource(fixture.first, { body_function: good.replace('order.created', 'order.made') })
    expect(violationLines(await fixture.audit())).toEqual(['resolved probe/output-changed orders'])
    fixture.service.failNext(otherwise(1))
    const last = await fixture.audit()
    expect(violationLines(last)).toEqual(['opened probe/output-changed orders'])
    expect(at(last.violations, 0).message).toBe(
      'result differs from the previous one at /data/a (same function and payload)',
    )
  })

  it('with another payload or function is run twice again and compared with nothing earlier', async () => {
    await using fixture = await intake(good)
    await fixture.audit({ policy: orders() })
    const two = await fixture.audit({ policy: probing(ordersEntry, { a: 2 }) })
    expect([two.drift, two.violations, posts(fixture)]).toEqual([[], [], 4])
    fixture.setSource(fixture.first, { body_function: good.replace('order.created', 'order.made') })
    const three = await fixture.audit()
    expect(posts(fixture)).toBe(6)
    expect(violationLines(three)).toEqual([])
    expect(driftLines(three).filter((line) => line.includes(' probe '))).toEqual([
      'modified probe orders /output/event_type "order.created" -> "order.made"',
    ])
  })

  it('under another installation key is run twice again and compared with nothing', async () => {
    await using fixture = await intake(good)
    await fixture.audit({ policy: orders() })
    const two = await fixture.audit({ installationKey: 2 })
    expect([driftLines(two), violationLines(two), posts(fixture)]).toEqual([[], [], 4])
  })
})

describe('probes', () => {
  it('that a run leaves out keep their violations unknown, never resolved, and are noted', async () => {
    await using fixture = await intake(bad)
    await fixture.audit({ policy: orders() })
    fixture.setSource(fixture.first, { body_function: good })
    const asked = posts(fixture)
    const two = await fixture.audit({ runsProbes: false })
    expect(violationLines(two)).toEqual(linesOf('unknown', fixture))
    expect(two.notices.map(({ text }) => text)).toEqual(['probes were disabled for this run'])
    expect([posts(fixture), held(fixture).length, two.verdict.exit_code]).toEqual([asked, 1, 0])
    expect(violationLines(await fixture.audit())).toEqual(linesOf('resolved', fixture))
  })

  it.each([
    ['drops', probing(''), []],
    ['keeps for others', probing(ordersEntry.replace('kind: source', 'name: other')), ['probe_unmatched']],
  ])('that the policy %s leave the state without drift, and end their violations', async (_, policy, notices) => {
    await using fixture = await intake(bad)
    await fixture.audit({ policy: orders() })
    const report = await fixture.audit({ policy })
    expect(violationLines(report)).toEqual(linesOf('resolved', fixture))
    // The function fails as before.
    expect(new Set(report.violations.map(({ resolution }) => resolution))).toEqual(new Set(['policy']))
    expect(new Set(report.violations.map(({ ended_by }) => ended_by?.reason))).toEqual(
      new Set(['no probe of the policy tests the function any longer']),
    )
    expect([driftLines(report), held(fixture), report.notices.map(({ code }) => code)]).toEqual([[], [], notices])
  })

  it('that get another payload or expectation fix nothing in a function that is as it was', async () => {
    const picky =
      'function transform(p) { if (p.a === 1) throw new Error("boom"); return { event_type: "x", data: p } }'
    await using fixture = await intake(picky)
    await fixture.audit({ policy: orders() })
    const passing = (expected: string) =>
      probing(ordersEntry.replace(/ }$/, `, expect: "payload.event_type == '${expected}'" }`), { a: 2 })
    const endings = async (policy: Policy) =>
      (await fixture.audit({ policy })).violations
        .filter(({ state }) => state === 'resolved')
        .map(({ rule, resolution }) => `${resolution} ${rule}`)
    expect(await endings(passing('y'))).toEqual(['policy probe/failed', 'policy source/function-broken'])
    expect(await endings(passing('x'))).toEqual(['policy probe/unexpected'])
    await fixture.audit({ policy: orders() })
    fixture.setSource(fixture.first, { body_function: good })
    expect(await endings(passing('order.created'))).toEqual(
      expect.arrayContaining(['fixed probe/failed', 'fixed source/function-broken']),
    )
  })

  it('that the policy drops end no acceptance as if the function were put right', async () => {
    await using fixture = await intake(bad)
    await fixture.accept(await fixture.audit({ policy: orders() }), 'source/function-broken')
    await fixture.audit({ policy: probing('') })
    await fixture.audit()
    expect(fixture.query('SELECT ended_by FROM acceptance')).toEqual([{ ended_by: null }])
  })

  it.each([
    [
      'its source',
      'removed',
      (fixture: Intake) => deleteSource(fixture.fleet, { project: fixture.project, uid: fixture.first }),
    ],
    ['its function', 'fixed', (fixture: Intake) => fixture.setSource(fixture.first, { body_function: null })],
  ] as const)('end with %s', async (_title, resolution, edit) => {
    await using fixture = await intake(bad)
    await fixture.audit({ policy: orders() })
    edit(fixture)
    const report = await fixture.audit()
    expect(violationLines(report)).toEqual(linesOf('resolved', fixture))
    expect(report.violations.map((violation) => violation.resolution)).toEqual([resolution, resolution])
    expect(held(fixture)).toEqual([])
    expect(report.drift.filter(({ kind }) => kind === 'probe')).toEqual([])
    expect(report.notices.map(({ text }) => text)).toEqual([
      'the probe orders did not run: no function matches its selector',
    ])
  })

  it('that are about nothing are named together, and only of what was scanned is that said', async () => {
    await using fixture = await intake(good)
    const other = 'function: header, payload: p.json, match: { uid: nowhere }'
    const policy = probing(`{ name: one, ${other} }, { name: two, ${other} }`)
    const whole = await fixture.audit({ policy })
    fixture.service.failNext({ how: 'bad-json', path: /sources/, page: 1, times: 99 })
    const broken = await fixture.audit()
    expect([whole, broken].map(({ notices }) => notices.map(({ text }) => text))).toEqual([
      ['the probes one, two did not run: no function matches their selectors'],
      ['the probes one, two did not run: no function matches their selectors in what was scanned'],
    ])
  })

  it('of several sources are named after each source, and existing names are kept', async () => {
    await using fixture = await intake(good)
    await fixture.audit({ policy: orders() })
    fixture.setSource(fixture.second, { body_function: bad })
    const two = await fixture.audit()
    expect(held(fixture).map(({ uid, target_uid }) => [uid, target_uid])).toEqual([
      ['orders', fixture.first],
      [`orders@${fixture.second}`, fixture.second],
    ])
    expect(violationLines(two)).toEqual([
      `opened probe/failed orders@${fixture.second}`,
      `opened source/function-broken ${fixture.second}`,
    ])
    expect(driftLines(two).filter((line) => line.includes('probe'))).toEqual([])
  })

  it("run a source's header function, a subscription's function, and a given text where the service shows none", async () => {
    await using fixture = await intake(good)
    fixture.setSource(fixture.first, { header_function: 'function transform(h) { h["x-extra"] = "1"; return h }' })
    const { uid } = at(fixture.fleet.open(fixture.project).subscriptions, 0)
    const place = { project: fixture.project, uid }
    updateSubscription(fixture.fleet, place, { function: 'function transform(p) { return p.a }' })
    const policy = probing(
      `{ name: headers, match: { uid: ${fixture.first} }, function: header, payload: p.json, expect_json: { a: 1, x-extra: "1" } },
       { name: subscribed, match: { kind: subscription, uid: ${uid} }, function: subscription, payload: p.json, expect: "payload == 1" },
       { name: hidden, match: { uid: ${fixture.first} }, function: body, function_file: ./fn.js, payload: p.json, expect: "payload.event_type == 'from.file'" }`,
      { a: 1 },
      { '/etc/fn.js': good.replace('order.created', 'from.file') },
    )
    const listed = await fixture.audit({ policy })
    // What is shown is what runs; the file is for where nothing is.
    expect(violationLines(listed)).toEqual(['opened probe/unexpected hidden'])
    fixture.service.behaviour.offers = { ...fixture.service.behaviour.offers, sources: false }
    const lifted = await fixture.audit()
    expect(violationLines(lifted)).toEqual(['resolved probe/unexpected hidden'])
    expect(lifted.notices.map(({ text }) => text)).toContain(
      'the probe headers did not run: the service does not show the function, and the policy gives no `function_file`',
    )
  })

  it('store no log and no secret from any output of a function', async () => {
    const token = 'quiet-river-9'
    const key = 'A9f3kQ27bX81mZ04tLw6Rs'
    const leaking = `function transform(p) {
      const token = "${token}"
      console.log(["a", "logged", "line"].join("-"), token, p.password)
      if (p.fail) throw new Error("refused " + token + " and " + "${key}" + " of " + p.password)
      return { event_type: "x", data: { innocent: "is " + token, password: p.password, echo: p.password, key: "${key}" } }
    }`
    await using fixture = await intake(leaking)
    const entry = (name: string, file: string) =>
      `{ name: ${name}, match: { uid: ${fixture.first} }, function: body, payload: ${file} }`
    const payload = { password: 'hunter-22-not-real' }
    const policy = probing(`${entry('runs', 'p.json')}, ${entry('fails', 'f.json')}`, payload, {
      '/etc/f.json': JSON.stringify({ ...payload, fail: true }),
    })
    const report = await fixture.audit({ policy })
    const everything = JSON.stringify([report, held(fixture)]) + readFileSync(fixture.harness.file, 'latin1')
    const kept = [token, key, payload.password, 'a-logged-line'].filter((secret) => everything.includes(secret))
    expect(kept).toEqual([])
    expect(held(fixture).find(({ uid }) => uid === 'runs')?.output.data.innocent).toMatch(/^is sealed:[0-9a-f]{32}$/)
  })

  it('store only the seal of an output that is too large', async () => {
    await using fixture = await intake(
      'function transform(p) { return { event_type: "x", data: Array(20000).fill("word") } }',
    )
    await fixture.audit({ policy: orders() })
    expect(held(fixture)).toMatchObject([{ outcome: 'ok', output: expect.stringMatching(/^sealed:[0-9a-f]{32}$/) }])
  })

  it('send no request when the policy has none', async () => {
    await using fixture = await intake(good)
    await fixture.audit()
    expect(posts(fixture)).toBe(0)
  })
})

describe('a probe that cannot run', () => {
  const couldNot: readonly [string, (fixture: Intake) => unknown, RegExp][] = [
    [
      'no licence',
      ({ service }) => Object.assign(service.behaviour, { hasLicence: false }),
      /does not have access to transformations/,
    ],
    [
      'an outage',
      ({ service }) => service.failNext({ how: 'status', status: 502, path: /test_function/, times: 9 }),
      /502/,
    ],
    ['a reset', ({ service }) => service.failNext({ how: 'reset', path: /test_function/, times: 9 }), /did not run/],
    ['no such operation', ({ service }) => Object.assign(service.behaviour.offers, { testFunction: false }), /404/],
    [
      'a source that was not seen',
      ({ service }) => service.failNext({ how: 'status', status: 502, path: /sources\?/, times: 9 }),
      /not shown|not seen|does not show/,
    ],
  ]

  it.each(couldNot)('is unknown, carried over and noted, without an exit code: %s', async (_title, trouble, reason) => {
    await using fixture = await intake(bad)
    const policy = orders()
    await fixture.audit({ policy })
    const before = held(fixture)
    trouble(fixture)
    const report = await fixture.audit()
    expect(violationLines(report)).toEqual(linesOf('unknown', fixture))
    expect(report.notices.map(({ text }) => text)).toEqual([expect.stringMatching(/^the probe orders did not run: /)])
    expect(at(report.notices, 0).text).toMatch(reason)
    expect(driftLines(report)).toEqual([])
    expect(held(fixture)).toEqual(before)
    const isSeen = report.coverage.every(({ status }) => status === 'complete')
    expect(report.verdict.exit_code).toBe(isSeen ? 0 : 3)
  })

  it('does not fail by its function where a later release refuses the project', async () => {
    await using fixture = await intake(bad, { release: 'later' })
    const policy = orders()
    const lines = async () => {
      const { violations, notices } = await fixture.audit({ policy })
      return [violations.map(({ state, rule }) => `${state} ${rule}`), notices.map(({ text }) => text)]
    }
    fixture.service.behaviour.disabledProjects.add(fixture.project)
    const disabled = expect.stringMatching(/^the probe orders did not run: .*disabled for write operations/)
    expect(await lines()).toEqual([[], [disabled]])
    fixture.service.behaviour.disabledProjects.clear()
    const opened = ['opened probe/failed', 'opened source/function-broken']
    expect(await lines()).toEqual([opened, []])
    fixture.service.failNext({
      how: 'status',
      status: 400,
      path: /test_function/,
      body: { status: false, message: 'failed to retrieve project' },
    })
    const unknown = ['unknown probe/failed', 'unknown source/function-broken']
    expect(await lines()).toEqual([unknown, [expect.stringContaining('failed to retrieve project')]])
  })

  it('discards both runs when the second one breaks off', async () => {
    await using fixture = await intake(good)
    fixture.service.failNext({ how: 'reset', path: /test_function/, skip: 1 })
    const report = await fixture.audit({ policy: orders() })
    expect([held(fixture), posts(fixture), report.notices.length]).toEqual([[], 2, 1])
  })

  it('times out after 15 seconds, even if a page may take longer', async () => {
    await using fixture = await intake(good)
    const limits: number[] = []
    const timeoutAfter = (ms: number) => {
      limits.push(ms)
      return ms === 15_000 ? AbortSignal.abort() : new AbortController().signal
    }
    const report = await fixture.audit({ policy: orders(), timeoutAfter })
    expect(new Set(limits)).toEqual(new Set([30_000, 15_000]))
    expect(at(report.notices, 0).text).toMatch(/no whole answer within 15000 ms/)
    expect(report.verdict.exit_code).toBe(0)
  })

  it('stops all others after three failures in a row, without a request for each', async () => {
    await using fixture = await intake(good)
    const probes = ['a', 'b', 'c', 'd', 'e'].map(
      (name) => `{ name: ${name}, match: { uid: ${fixture.first} }, function: body, payload: p.json }`,
    )
    fixture.service.behaviour.hasLicence = false
    const report = await fixture.audit({ policy: probing(probes.join(', ')) })
    expect(posts(fixture)).toBe(3)
    expect(report.notices.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^the probes a, b, c did not run: .* access to transformations/),
      'the probes d, e did not run: those before could not run, so it was not tried',
    ])
  })
})
