import { describeAcceptances } from './acceptances-contract.ts'
import { describeApprovals } from './approvals-contract.ts'
import type { Place } from './contract-fixture.ts'
import { describeLease } from './lease-contract.ts'
import { describeOutbox } from './outbox-contract.ts'
import { describeReader } from './reader-contract.ts'
import { describeRecords } from './records-contract.ts'
import { describeRuns } from './runs-contract.ts'
import { describeVersions } from './versions-contract.ts'
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
  describeReader,
  describeAcceptances,
  describeApprovals,
  describeOutbox,
]

export function describeHistory(name: string, makePlace: () => Place): void {
  for (const describeSection of sections) describeSection(name, makePlace)
}
