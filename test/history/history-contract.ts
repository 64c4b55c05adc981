import { describeAcceptances } from './acceptances-contract.ts'
import { describeApprovals } from './approvals-contract.ts'
import type { MakePlace } from './contract-fixture.ts'
import { describeDigests } from './digests-contract.ts'
import { describeLease } from './lease-contract.ts'
import { describeNotes } from './notes-contract.ts'
import { describeOutbox } from './outbox-contract.ts'
import { describePruning } from './prune-contract.ts'
import { describeReader } from './reader-contract.ts'
import { describeRecords } from './records-contract.ts'
import { describeRuns } from './runs-contract.ts'
import { describeSchema } from './schema-contract.ts'
import { describeScopes } from './scopes-contract.ts'
import { describeUpkeep } from './upkeep-contract.ts'
import { describeVersions } from './versions-contract.ts'
import { describeViews } from './views-contract.ts'
import { describeViolations } from './violations-contract.ts'
import { describeWalks } from './walks-contract.ts'

/** What every backend promises, section by section: a new backend passes them from the first to the last. */
const sections = [
  describeRuns,
  describeLease,
  describeWalks,
  describeVersions,
  describeViolations,
  describeRecords,
  describeDigests,
  describeReader,
  describeAcceptances,
  describeApprovals,
  describeNotes,
  describeOutbox,
  describeScopes,
  describeSchema,
  describeViews,
  describeUpkeep,
  describePruning,
]

export function describeHistory(name: string, makePlace: MakePlace): void {
  for (const describeSection of sections) describeSection(name, makePlace)
}
