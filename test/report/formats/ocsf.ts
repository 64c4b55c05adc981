import type { FormatTest, Parsed } from '../format-test.ts'

export const ocsf: FormatTest = {
  read(text) {
    const events: Parsed[] = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    const violations = events
      .filter(({ finding_info }) => finding_info.types.includes('violation'))
      .map(({ severity, finding_info, resources, status_detail }) => ({
        severity: severity === 'Informational' ? 'info' : severity.toLowerCase(),
        rule: finding_info.analytic.uid,
        project: resources[0].namespace,
        state: status_detail,
      }))
    return { violations, exitCode: events[0]?.unmapped.exit_code }
  },
  damage: () => [],
}
