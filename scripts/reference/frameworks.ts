import { builtInFrameworkIds } from '../../src/compliance/built-in-frameworks.ts'
import { builtInFramework, type FrameworkControl } from '../../src/compliance/framework.ts'

/** The page with all frameworks, and the rules that give evidence for each control. */
export function frameworksPage(): string {
  const frameworks = builtInFrameworkIds.map(builtInFramework)
  const rows = frameworks.map(({ id, title, controls }) => {
    const covered = controls.filter(({ evidence }) => evidence.length > 0)
    return `| \`${id}\` | ${title} | ${covered.length} of ${controls.length} |`
  })
  const sections = frameworks.map(({ id, title, source, controls }) => {
    const covered = controls.filter(({ evidence }) => evidence.length > 0)
    return [`## ${id}`, '', `${title}. Identifiers: ${source}.`, '', ...covered.map(describeControl), ''].join('\n')
  })
  return [
    `# Frameworks

The frameworks of \`hookdrift report --framework NAME\`, with the rules that give evidence for each control. Generated from
[config/frameworks](../../config/frameworks) by \`npm run reference\`. How to report by them, and by one of your own:
[report by control](../how-to/report-by-control.md).

| name | framework | controls with evidence |
|---|---|---|
${rows.join('\n')}

Identifiers are those of the document that is named. Titles say in our own words what a control asks for: the
framework's own text decides. A *selected* framework lists the controls that a configuration of webhooks can show
anything about. For its other controls, hookdrift has no evidence.
`,
    ...sections,
  ].join('\n')
}

function describeControl({ id, title, evidence }: FrameworkControl): string {
  const rules = new Set(evidence.flatMap((group) => group.rules))
  const named = rules.has('*') ? 'every rule' : [...rules].map((rule) => `\`${rule}\``).join(', ')
  return `- **${id}** ${title}: ${named}.`
}
