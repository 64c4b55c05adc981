import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { deleteSource, updateSubscription } from '../../src/demo/edits.ts'
import { at, driftLines, violationLines } from './fleet-fixture.ts'
import { bad, good, held, type Intake, intake, orders, posts, probing } from './probes-fixture.ts'

describe('probes', () => {
  it('that a run leaves out keep their violations unknown, never resolved, and are noted', async () => {
    await using fixture = await intake(bad)
    await fixture.audit({ policy: orders() })
    fixture.set(fixture.first, { body_function: good })
    const asked = posts(fixture)
    const two = await fixture.audit({ policy: orders(), runsProbes: false })
    expect(violationLines(two)).toEqual([
      'unknown probe/failed orders',
      `unknown source/function-broken ${fixture.first}`,
    ])
    expect(two.notices.map(({ text }) => text)).toEqual(['probes were disabled for this run'])
    expect([posts(fixture), held(fixture).length, two.verdict.exit_code]).toEqual([asked, 1, 0])
    expect(violationLines(await fixture.audit({ policy: orders() }))).toEqual([
      'resolved probe/failed orders',
      `resolved source/function-broken ${fixture.first}`,
    ])
  })

  it('that the policy drops leave the state without drift, and their violations are resolved', async () => {
    await using fixture = await intake(bad)
    await fixture.audit({ policy: orders() })
    const report = await fixture.audit({ policy: probing('') })
    expect(violationLines(report)).toEqual([
      'resolved probe/failed orders',
      `resolved source/function-broken ${fixture.first}`,
    ])
    expect([driftLines(report), held(fixture), report.notices]).toEqual([[], [], []])
  })

  it.each([
    ['its source', (fixture: Intake) => deleteSource(fixture.fleet, { project: fixture.project, uid: fixture.first })],
    ['its function', (fixture: Intake) => fixture.set(fixture.first, { body_function: null })],
  ] as const)('end with %s', async (_title, edit) => {
    await using fixture = await intake(bad)
    await fixture.audit({ policy: orders() })
    edit(fixture)
    const report = await fixture.audit({ policy: orders() })
    expect(violationLines(report)).toEqual([
      'resolved probe/failed orders',
      `resolved source/function-broken ${fixture.first}`,
    ])
    expect(held(fixture)).toEqual([])
    expect(report.drift.filter(({ kind }) => kind === 'probe')).toEqual([])
    expect(report.notices.map(({ text }) => text)).toEqual([
      'the probe orders did not run: no function matches its selector',
    ])
  })

  it('of several sources are named after each source, and existing names are kept', async () => {
    await using fixture = await intake(good)
    await fixture.audit({ policy: orders() })
    fixture.set(fixture.second, { body_function: bad })
    const two = await fixture.audit({ policy: orders() })
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

  it('that match several sources from the first run on are all named after their sources', async () => {
    await using fixture = await intake(good)
    fixture.set(fixture.second, { body_function: good })
    await fixture.audit({ policy: orders() })
    expect(held(fixture).map(({ uid }) => uid)).toEqual([`orders@${fixture.first}`, `orders@${fixture.second}`].sort())
  })

  it("run a source's header function, a subscription's function, and a given text where the service shows none", async () => {
    await using fixture = await intake(good)
    fixture.set(fixture.first, { header_function: 'function transform(h) { h["x-extra"] = "1"; return h }' })
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
    const lifted = await fixture.audit({ policy })
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
