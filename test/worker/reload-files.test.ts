import { expect, it } from 'vitest'
import { readAgain } from '../../src/app/worker/reload-files.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { configure } from '../config/config-fixture.ts'

const services = `services:
  - { name: acme, url: https://hooks.example.com, key: "\${ACME_KEY}", projects: [{ id: P1 }] }
`

/** Reads a file again that had another text before; returns what is in force and what the log says. */
async function reread({ from, to }: { readonly from: string; readonly to: string }) {
  const policy = policyOf('extends: []')
  const lines: unknown[] = []
  const before = { configuration: configure(from + services), policy }
  const { configuration } = await readAgain(
    { configuration: () => configure(to + services), policy: async () => policy },
    before,
    {
      log: { info: () => {}, warn: (...line: readonly unknown[]) => void lines.push(line.at(-1)) },
      metrics: { reloaded: () => {} },
      signal: new AbortController().signal,
    },
  )
  return { configuration, lines }
}

it('names what a worker takes at its start alone', async () => {
  const from = 'worker: { listen: 1, shared: true, slots: 4 }\n'
  expect((await reread({ from, to: from })).lines).toEqual([])
  const { lines } = await reread({ from, to: 'worker: { listen: 2, shared: true, slots: 8, services: [acme] }\n' })
  expect(lines).toEqual(['worker.listen, worker.slots, worker.services: restart the worker to apply what has changed'])
})

it('leaves workers that share runs their history, and takes another login for it', async () => {
  const shared = 'worker: { shared: true }\nhistory: postgres://'
  const other = await reread({ from: `${shared}db-1/audits\n`, to: `${shared}db-2/audits\n` })
  expect(other.configuration.history.displayName).toBe('postgres://db-1/audits')
  expect(other.lines).toEqual(['history: restart the worker to apply what has changed'])
  const login = await reread({ from: `${shared}one@db-1/audits\n`, to: `${shared}two@db-1/audits\n` })
  expect(login.configuration.history).toMatchObject({ server: { user: 'two' } })
  expect(login.lines).toEqual([])
})

it('gives a worker of its own another history', async () => {
  const { configuration, lines } = await reread({ from: 'history: ./a.db\n', to: 'history: ./b.db\n' })
  expect(configuration.history.displayName).toBe('/etc/hookdrift/b.db')
  expect(lines).toEqual([])
})
