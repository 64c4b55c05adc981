import type { Report } from '../../src/model/report.ts'

type OldReport = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> & {
  readonly run: Readonly<Record<string, unknown>>
  readonly verdict: { readonly text: string }
}

const renamed: Readonly<Record<string, string>> = {
  place: 'configured_at',
  fewer: 'evaluated_by_rule',
  unjudged: 'not_evaluated',
  remedy: 'remediation',
}

/** Reports of `hookdrift.report/1` as the words of today would have them; what they do not say is not added. */
export function inTodaysWords(reports: readonly OldReport[]): Report[] {
  return reports.map((report) => {
    const { sealed: _, ...run } = report.run
    const { projects, rules, verdict } = report
    return {
      ...report,
      schema: 'hookdrift.report/2',
      run: { ...run, state: 'committed' },
      verdict: { ...verdict, text: textOf(verdict) },
      ...(projects === undefined ? {} : { projects: projects.map(rename) }),
      ...(rules === undefined ? {} : { rules: rules.map(rename) }),
      // What it holds is compared member by member with a report of today.
    } as unknown as Report
  })
}

function textOf({ text }: OldReport['verdict']): string {
  const renamed = text.replace(/(violations?) not looked at/, '$1 unknown')
  return renamed.includes('walks incomplete')
    ? renamed.replace(/no drift\.$/, 'no drift in what was scanned.')
    : renamed
}

function rename(entry: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [renamed[name] ?? name, value]))
}
