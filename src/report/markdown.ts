import type { Report } from '../model/report.ts'
import { fill } from './markdown/fill.ts'
import { prose } from './markdown/prose.ts'
import { sectionsOf, summary } from './markdown/sections.ts'
import type { ReportFormat } from './report-format.ts'
import { describeFirstScans, describeNoDrift } from './scanned-extent.ts'
import { showTime } from './text/show-time.ts'

/** A comment on a pull request has at most 65,536 characters; the rest is for lines that the poster adds. */
const mostCharacters = 64_500

/** For a pull request or a chat: counts first, then the most severe, cut to the size of a comment. */
export const markdown: ReportFormat = (report) => {
  const { run, verdict, digests } = report
  const top = [
    `## hookdrift, run ${run.number}`,
    '',
    ...summary(report),
    '',
    `**${verdict.text}** Exit code ${verdict.exit_code}.`,
    ...aboutDrift(report).flatMap((sentence) => ['', sentence]),
  ]
  const bottom = ['', `${showTime(run.started_at)}, policy \`${digests.policy.slice(0, 12)}\`.`]
  const room = mostCharacters - [...top, ...bottom].join('\n').length
  const howToSeeAll = `\`hookdrift report --run ${run.number} --format json\` shows all`
  return `${[...top, ...fill(sectionsOf(report), room, howToSeeAll), ...bottom].join('\n')}\n`
}

/** What the report says of drift when there is none to list. */
function aboutDrift(report: Report): string[] {
  const none = report.drift.length === 0 ? describeNoDrift(report) : ''
  return [none, describeFirstScans(report)].filter((sentence) => sentence !== '').map((sentence) => prose(sentence))
}
