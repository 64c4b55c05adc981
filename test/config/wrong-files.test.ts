import { describe, expect, it } from 'vitest'
import { showConfiguration } from '../../src/config/show-configuration.ts'
import { timetableFaultsAt } from '../../src/worker/timetable.ts'
import { file, referenceSources, refusal } from './config-fixture.ts'
import { wrongConfigurations } from './wrong-files.ts'

const env = {
  ACME_KEY: 'not-a-real-key',
  QUOTED: '"not-a-real-key"',
  TOKEN: 'not-a-real-token-of-all',
  OTHER_TOKEN: 'not-a-real-token-of-some',
  EMPTY: '',
}
const files = { '/etc/hookdrift/key.pem': 'not-a-real-key' }
const options = {
  findTimetableFault: timetableFaultsAt(Date.parse('2026-11-21T00:00:00Z')),
  needsTokens: 'all',
} as const

describe('a wrong configuration', () => {
  it.each(Object.entries(wrongConfigurations))('is refused at its lines and columns: %s', (_, [text, ...says]) => {
    expect(refusal(text, { env, files }, options)).toEqual(says)
  })

  it('is shown where its values contradict each other: a person wants to find the one to change', () => {
    const [text = ''] = wrongConfigurations['two services of a name'] ?? []
    const request = { sources: referenceSources(text, { env }), cwd: '/', history: undefined, exists: () => false }
    const names = showConfiguration(file, request).filter(({ path }) => path[2] === 'name')
    expect(names.map(({ value, at }) => [value, at])).toEqual([
      ['acme', `${file}:2:11`],
      ['acme', `${file}:6:13`],
    ])
  })
})
