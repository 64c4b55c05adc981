import { nextAuditDue } from '../app/worker/next-times.ts'
import { AuditError } from '../model/errors.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import type { SiteConfiguration, SiteRequest } from './page.ts'

/** What is configured now. People edit it while the pages are served. */
export interface CurrentConfiguration {
  /** undefined where there is none, and where it cannot be read. */
  readonly configuration: SiteConfiguration | undefined
  readonly isUnreadable: boolean
  /** By when a project should be audited again that was audited at a time, both in milliseconds. */
  readonly dueAfter: (project: string, ms: number) => number
  /** That it cannot be read; not why, because that names files and hosts which readers need not know. */
  readonly alarm: Markup
}

/** Reads the configuration: where it is broken, the page shows what the history knows. */
export async function readConfigured({ plan, now }: Pick<SiteRequest, 'plan' | 'now'>): Promise<CurrentConfiguration> {
  try {
    const configuration = await plan.configured()
    return { configuration, dueAfter: dueBy(configuration, now), isUnreadable: false, alarm: nothing }
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    return { ...unconfigured(now), isUnreadable: true, alarm: unreadable }
  }
}

/** As for a past run: what is configured today says nothing about it. */
export function unconfigured(now: number): CurrentConfiguration {
  return { configuration: undefined, dueAfter: dueBy(undefined, now), isUnreadable: false, alarm: nothing }
}

function dueBy(configuration: SiteConfiguration | undefined, now: number): CurrentConfiguration['dueAfter'] {
  return nextAuditDue(configuration?.schedules ?? [], { now, file: 'the configuration' })
}

const unreadable = html`<div class="unscanned unseen" role="note"><p><b>? The configuration cannot be read.</b></p><p>Which projects it names, and when they are due, is unknown. <code>hookdrift doctor --offline</code> says why.</p></div>
`
