import type { ReportLinks } from '../html/report-links.ts'
import type { FirstControls } from './first-controls.ts'

/** Where the evidence is shown among other pages; a report that is one file has none. */
export interface EvidencePlaces {
  /** How many violations of a state are shown under a control. */
  readonly most: number
  readonly links: ReportLinks
  rule(id: string): string
}

export interface EvidenceOptions {
  readonly first: FirstControls
  readonly places: EvidencePlaces | undefined
}
