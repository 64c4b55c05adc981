import { describe } from 'vitest'
import { describeHistory } from '../history-contract.ts'
import { hasPostgres } from './databases.ts'
import { makePostgresPlace } from './postgres-place.ts'

describe.skipIf(!hasPostgres)('a history in a database', () => {
  describeHistory('PostgreSQL', makePostgresPlace)
})
