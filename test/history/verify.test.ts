import { writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { openSecrets } from '../../src/gateway/inventory/open-secrets.ts'
import type { WrittenRun } from '../../src/history/records.ts'
import { openToExamine } from '../../src/history/sqlite/open-to-examine.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { verifyHistory } from '../../src/history/sqlite/verify/verify-history.ts'
import { temporaryDatabasePath } from './database-fixture.ts'
import { knownIn } from './known-in.ts'
import { Machines } from './processes.ts'
import { aStart, at, aVersion, payments, walkAll } from './samples.ts'
import { makeSoundHistory } from './sound-history.ts'

let sound: Buffer
beforeAll(async () => {
  sound = await makeSoundHistory()
})

/** What verify says after a change with plain SQL, without any constraint. */
async function after(tamper: (db: Database.Database) => unknown, depth: 'plain' | 'deep' = 'plain') {
  const db = new Database(Buffer.from(sound))
  try {
    db.pragma('ignore_check_constraints = ON')
    db.pragma('foreign_keys = OFF')
    tamper(db)
    return await verifyHistory(db, { depth, exitCodeOf: () => 0, openSecrets })
  } finally {
    db.close()
  }
}

async function faultsAfter(sql: string) {
  return (await after((db) => db.exec(sql))).checks.flatMap(({ id, ok, detail }) => (ok ? [] : [`${id}: ${detail}`]))
}

describe('an unaltered history', () => {
  it.each(['plain', 'deep'] as const)('verifies (%s)', async (depth) => {
    const { ok, run, checks } = await after(() => {}, depth)
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
    expect({ ok, run: run?.number }).toEqual({ ok: true, run: 4 })
    expect(checks.map(({ id }) => id)).toEqual([
      ...['integrity_check', 'foreign_key_check', 'schema', 'migration', 'records'],
      ...['I1', 'I2', 'I3', 'I4', 'I5', 'I6'],
      ...(depth === 'deep' ? ['I7'] : []),
      ...['I8', 'I9', 'I10'],
    ])
  })

  it('verifies while a run is being written', async () => {
    const path = temporaryDatabasePath()
    const writing = openSqliteHistory(path.file, new Machines().process(1))
    const first = await writing.begin(aStart())
    await walkAll(first)
    await first.stage(payments, [aVersion('a')])
    await first.commit(at(2), () => 0)
    const draft = await writing.begin(aStart(at(3)))
    await walkAll(draft)
    const known = (await knownIn(draft, payments, 'endpoint', ['a'])).get('a')
    await draft.stage(payments, [aVersion('a', { url: 'b' }, { replaces: known?.id })])
    const db = new Database(path.file, { readonly: true })
    const { checks } = await verifyHistory(db, { depth: 'deep', exitCodeOf: () => 0, openSecrets })
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
    db.close()
    await writing.close()
    path.remove()
  })
})

describe('readable values that should be sealed', () => {
  const found = async (sql: string) =>
    (await after((db) => db.exec(sql), 'deep')).checks.find(({ id }) => id === 'I7')?.detail
  const credential = 'whsec_0123456789abcdef'
  const inEndpoint = (attributes: object) => `UPDATE version SET body = '${JSON.stringify(attributes)}' WHERE id = 1`

  it('are searched for also in a row of a kind that does not exist', async () => {
    const detail = await found("UPDATE version SET kind = 'endpoins' WHERE id = 1")
    expect(detail).toBe('every secret that can be recognised is sealed')
  })

  it.each([
    [inEndpoint({ secrets: { s1: { value: 'readable' } } }), '/secrets/s1/value unsealed'],
    [inEndpoint({ authentication: { basic_auth: { username: 'u', password: 'pw' } } }), '/password unsealed'],
    [inEndpoint({ slack_webhook_url: 'https://chat.example/services/T0' }), '/slack_webhook_url unsealed'],
    [
      inEndpoint({ description: `a\n${credential}` }),
      'the body of endpoint a since run 1 contains /description unsealed',
    ],
    [`UPDATE approved_resource SET body = '{"mtls_client_cert":{"client_key":"x"}}'`, '/client_key unsealed'],
    [`UPDATE version SET name = '${credential}' WHERE id = 1`, 'the name of endpoint a'],
    [`UPDATE change SET fields = '[{"before":"${credential}"}]'`, 'a change of endpoint a in run 2'],
    [`UPDATE violation SET message = 'Bearer 0123456789abcdef'`, 'a violation of endpoint a'],
    [`UPDATE notice SET text = '${credential}'`, 'a notice of run 1'],
    [`UPDATE walk SET reason = '${credential}'`, 'the coverage of run'],
    [`UPDATE document SET body = '${credential}'`, 'document '],
    [`UPDATE approval SET note = '${credential}'`, 'the note of approval 1'],
    [
      `INSERT INTO acceptance (project_id, project, fingerprint, rule, kind, uid, path, reason, accepted_at, accepted_by)
       VALUES (1, '', '', '', '', '', '', '${credential}', '', '')`,
      'the reason of acceptance 1',
    ],
    [
      `INSERT INTO recorded_note (at, text, projects, noted_at, noted_by) VALUES ('', '${credential}', '[]', '', '')`,
      'the text of note 1',
    ],
    [`UPDATE notification SET body = '${credential}'`, 'notification msg_'],
    [
      `INSERT INTO acceptance (id, project_id, project, fingerprint, rule, kind, uid, path, reason, accepted_at, accepted_by)
       VALUES (1, 1, 'a/b', 'f', 'r', 'endpoint', 'a', '', '${credential}', '', 'alice')`,
      'the reason of acceptance 1',
    ],
    [
      `INSERT INTO recorded_note (id, at, text, ref, projects, noted_at, noted_by) VALUES (1, '', 'x', '${credential}', '[]', '', '')`,
      'the reference of note 1',
    ],
    [
      `INSERT INTO recorded_note (id, at, text, projects, noted_at, noted_by) VALUES (1, '', '${credential}', '[]', '', '')`,
      'the text of note 1',
    ],
    [`UPDATE violation SET waiver = '{"reason":"${credential}"}' WHERE id = 1`, 'the waiver of endpoint'],
    [`UPDATE violation SET ended_by = '{"reason":"${credential}"}' WHERE id = 1`, 'the ending of endpoint'],
  ])('%s are found and not quoted', async (sql, detail) => {
    expect(await found(sql)).toContain(detail)
    expect(await found(sql)).not.toMatch(/whsec_|readable|0123456789abcdef/)
  })

  it('do not include sealed, masked or empty values', async () => {
    const seal = `sealed:${'0'.repeat(32)}`
    const secrets = { s1: { value: seal }, s2: { value: 'sealed:masked' }, s3: { value: null } }
    const urls = { slack_webhook_url: `https://chat.example/${seal}`, teams_webhook_url: null }
    expect(await found(inEndpoint({ secrets, ...urls }))).toBe('every secret that can be recognised is sealed')
  })
})

describe('an alteration of what a run wrote', () => {
  it.each([
    [
      "UPDATE version SET body = replace(body, 'x', 'y')",
      'I2: the body of endpoint a since run 2 (version 4) does not match its digest',
    ],
    [
      "DELETE FROM notification WHERE id = 'msg_hook_2'",
      'I9: 1 of the messages that were written for hook are missing',
    ],
    [
      "UPDATE notification SET state = 'delivered', attempts = 1, ended_at = created_at WHERE id = 'msg_hook_4'",
      'I9: message msg_hook_4 was delivered, although one before it waits',
    ],
    [
      "UPDATE notification SET attempts = 0 WHERE id = 'msg_hook_1'",
      'I9: message msg_hook_1 is marked as delivered and was never tried',
    ],
    [
      "UPDATE notification SET ended_at = NULL WHERE id = 'msg_chat_1'",
      'I9: message msg_chat_1 is delivered or given up, without a time',
    ],
    [
      "UPDATE notification SET ended_at = created_at WHERE id = 'msg_chat_2'",
      'I9: message msg_chat_2 waits, and has a time of delivery',
    ],
    [
      "UPDATE notification SET id = 'msg_x' WHERE id = 'msg_chat_2'",
      'I9: message msg_x has the id msg_chat_2 in its body',
    ],
    [
      "UPDATE notification SET body = 'x' WHERE id = 'msg_chat_2'",
      'I9: message msg_chat_2 has the id null in its body',
    ],
    [
      "UPDATE notification SET run = 3 WHERE id = 'msg_chat_2'",
      'I9: message msg_chat_2 is about run 3, which was never committed',
    ],
    ["DELETE FROM channel WHERE name = 'hook'", 'I9: 3 of the messages that were written for hook are missing'],
    ["UPDATE version SET name = 'z' WHERE id = 2", 'I10: not as run 1 committed it: versions'],
    ['UPDATE version SET to_run = NULL WHERE id = 2', 'I10: not as run 2 committed it: ended versions'],
    ["UPDATE change SET uid = 'z' WHERE id = 1", 'I10: not as run 2 committed it: changes'],
    ["UPDATE violation SET severity = 'low' WHERE id = 1", 'I10: not as run 1 committed it: violations'],
    ["UPDATE walk SET items = 3 WHERE run = 4 AND listing = 'endpoints'", 'I10: not as run 4 committed it: walks'],
    ["UPDATE notice SET text = 'nothing' WHERE run = 1", 'I10: not as run 1 committed it: notices'],
    ["UPDATE run SET policy_digest = 'other' WHERE number = 2", 'I10: not as run 2 committed it: run'],
    [
      "UPDATE run SET chain = 'other' WHERE number = 2",
      'I10: the link of run 2 was altered, in its column previous or chain',
    ],
    ["UPDATE run SET part_digests = '{}' WHERE number = 2", 'I10: the column part_digests of run 2 was altered'],
    ["UPDATE scan SET name = 'z' WHERE run = 1", 'I10: not as run 1 committed it: scans, walks'],
    ["UPDATE walk SET cause = 'tls' WHERE run = 4", 'I10: not as run 4 committed it: walks'],
    ["UPDATE notice SET code = 'rule_failed' WHERE run = 1", 'I10: not as run 1 committed it: notices'],
    ["UPDATE run SET started_at = 'then' WHERE number = 3", 'I10: not as run 4 committed it: run'],
    ["UPDATE project SET uid = 'z' WHERE id = 2", 'I10: not as run 1 committed it: projects'],
    ["UPDATE document SET body = '[1]' WHERE id = 1", /^I2: document [0-9a-f]{12}… does not match its digest$/],
  ])('is named: %s', async (sql, fault) => {
    const found = await faultsAfter(sql)
    expect(found).toContainEqual(typeof fault === 'string' ? fault : expect.stringMatching(fault))
  })
})

describe('verify', () => {
  it('names missing runs', async () => {
    const rows = ['walk', 'scan', 'change', 'notice'].map((table) => `DELETE FROM ${table} WHERE run = 4;`).join('')
    // The last run can go without a trace in the file: its digest is in the reports that left the machine.
    expect(await faultsAfter(`${rows} DELETE FROM run WHERE number = 4`)).toEqual([])
    const found = await faultsAfter('DELETE FROM run WHERE number IN (2, 3)')
    expect(found).toContainEqual('I6: runs 2 to 3 are missing, and no pruning says so')
    expect(found).toContainEqual(
      expect.stringContaining('I10: run 4 does not follow the one before it: its link names another'),
    )
  })

  it('names a run that was marked as another one', async () => {
    expect(await faultsAfter("UPDATE run SET state = 'pruned' WHERE number = 2")).toContainEqual(
      'I6: run 2 is marked as pruned, and no pruning says so',
    )
    expect((await faultsAfter("UPDATE run SET state = 'interrupted' WHERE number = 2")).join()).toContain(
      'I1: run 2 was interrupted',
    )
  })

  it.each([
    [
      'UPDATE version SET to_run = 1 WHERE id = 2',
      'I3: version of endpoint b that begins with run 1 ends before it begins',
    ],
    [
      'UPDATE version SET to_run = 4 WHERE id = 1',
      'I3: version of endpoint a that begins with run 2 overlaps the one before it',
    ],
    ["UPDATE walk SET status = 'partial' WHERE run = 2", 'I4: endpoint b was removed by run 2, whose scan was partial'],
    ['DELETE FROM walk WHERE run = 2', 'I4: endpoint b was removed by run 2, whose scan was not made'],
    ['DELETE FROM run WHERE number = 3', 'I6: run 3 is missing, and no pruning says so'],
    [
      "UPDATE walk SET status = 'partial' WHERE run = 2",
      'I5: endpoint/url-not-https at endpoint b ended in run 2, which did not scan all endpoints and evaluated the same policy as before',
    ],
    [
      'UPDATE violation SET resolution = NULL WHERE to_run = 2',
      'I5: endpoint/url-not-https at endpoint b ended in run 2, and nothing says how',
    ],
    ['UPDATE run SET exit_code = 1 WHERE number = 4', 'I8: run 4 is recorded with exit code 1, its record calls for 0'],
    ['DELETE FROM project WHERE id = 1', /^foreign_key_check: .* refers to a project that is not there/],
  ])('checks the invariants: %s', async (sql, fault) => {
    expect(await faultsAfter(sql)).toContainEqual(typeof fault === 'string' ? fault : expect.stringMatching(fault))
  })

  it('checks every exit code in a deep run, and the last one by default', async () => {
    const tamper = (db: Database.Database) => db.exec('UPDATE run SET exit_code = 1 WHERE number = 1')
    const i8 = async (depth: 'plain' | 'deep') => (await after(tamper, depth)).checks.find(({ id }) => id === 'I8')?.ok
    expect([await i8('plain'), await i8('deep')]).toEqual([true, false])
  })

  it('says what it could not examine, and continues', async () => {
    const found = await faultsAfter("DROP TABLE notice; UPDATE version SET body = '' WHERE id = 1")
    expect(found).toContainEqual('I1: cannot be examined: no such table: notice')
    expect(found.join()).toContain('I2: the body of endpoint a since run 1')
  })

  it('says so of values of another type, and quotes no text that is not JSON', async () => {
    const faultsOf = async (sql: string) => {
      const db = new Database(Buffer.from(sound))
      db.exec(sql)
      const exitCodeOf = ({ projects }: WrittenRun) => (projects.some(({ project }) => project === '') ? 1 : 0)
      const { checks } = await verifyHistory(db, { depth: 'deep', exitCodeOf, openSecrets })
      db.close()
      return checks.flatMap(({ id, ok, detail }) => (ok ? [] : `${id}: ${detail}`)).join('\n')
    }
    const isOther = 'cannot be examined: a value is not as a run writes it'
    expect(await faultsOf("UPDATE document SET body = 'null'")).toMatch(RegExp(`^I2: .*\nI8: ${isOther}$`))
    const changed = await faultsOf("UPDATE change SET fields = '{}'")
    expect(changed).toContain(`I7: ${isOther}`)
    expect(changed).toContain('I10: not as run 2 committed it: changes')
    const body = await faultsOf("UPDATE version SET body = 'hunter2'")
    expect(body).toContain('I7: cannot be examined: a text is not JSON')
    expect(body).not.toContain('hunter2')
  })

  it('says so of a file that lost a part of its last page, which ends the transaction', async () => {
    const path = temporaryDatabasePath()
    const whole = new Database(Buffer.from(sound))
    // Its end is in the last page.
    whole.exec('UPDATE document SET body = body || hex(zeroblob(12000)) WHERE id = 1')
    const bytes = whole.serialize()
    whole.close()
    writeFileSync(path.file, bytes.subarray(0, bytes.length - 8000))
    const db = openToExamine(path.file)
    const { ok, checks } = await verifyHistory(db, { depth: 'plain', exitCodeOf: () => 0, openSecrets })
    db.close()
    path.remove()
    expect(ok).toBe(false)
    expect(checks.find(({ id }) => id === 'I2')?.detail).toBe('cannot be examined: disk I/O error')
  })

  it('leaves an error that no alteration explains as it is: it is a bug', async () => {
    const db = new Database(Buffer.from(sound))
    const exitCodeOf = () => {
      throw new TypeError('a bug')
    }
    await expect(verifyHistory(db, { depth: 'plain', exitCodeOf, openSecrets })).rejects.toThrow('a bug')
    db.close()
  })

  it('lists the first faults and counts the others', async () => {
    expect((await faultsAfter("UPDATE version SET body = 'x'")).find((fault) => fault.startsWith('I2'))).toMatch(
      /; and 1 more$/,
    )
  })
})
