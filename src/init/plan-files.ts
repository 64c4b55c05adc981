import type { Answers, Place } from './answers.ts'
import { planCompose } from './places/compose.ts'
import { planGithub } from './places/github.ts'
import { planGitlab } from './places/gitlab.ts'
import { planKubernetes } from './places/kubernetes.ts'
import { planNone } from './places/none.ts'
import type { NextStep, PlaceContext, PlacePlan, PlannedFile } from './places/place.ts'
import { planSystemd } from './places/systemd.ts'
import { writeConfiguration } from './write-configuration.ts'
import { writePolicy } from './write-policy.ts'

export interface Plan {
  readonly files: readonly PlannedFile[]
  /** Paths of two of the files. */
  readonly configuration: string
  readonly policy: string
  readonly next: readonly NextStep[]
}

const plans = {
  github: planGithub,
  gitlab: planGitlab,
  compose: planCompose,
  kubernetes: planKubernetes,
  systemd: planSystemd,
  none: planNone,
} as const satisfies Record<Place, (context: PlaceContext) => PlacePlan>

/** All files of a set-up, and what to do with them. */
export function planFiles(answers: Answers, context: Pick<PlaceContext, 'version' | 'readPackageFile'>): Plan {
  const { service, keyVariable, place } = answers
  const { folder, needs, files, next } = plans[place]({ ...context, service: service.name, keyVariable })
  const configuration = `${folder}hookdrift.yaml`
  const policy = `${folder}policy.yaml`
  // A schema in the directory is found in every clone, on every machine, and without a network.
  const schemas = (['hookdrift', 'policy'] as const).map((name) => ({
    path: `${folder}${schemaFile(name)}`,
    text: context.readPackageFile(`config/${name}.schema.json`),
  }))
  return {
    files: [
      { path: configuration, text: `${schemaComment('hookdrift')}${writeConfiguration(service, needs)}` },
      { path: policy, text: `${schemaComment('policy')}${writePolicy(answers)}` },
      ...files,
      ...schemas,
    ],
    configuration,
    policy,
    next,
  }
}

/** `hookdrift.yaml` for an audit from this machine, with the key from a variable and the history next to it. */
export function planTrial(answers: Pick<Answers, 'service' | 'keyVariable' | 'strictness'>): readonly PlannedFile[] {
  const key = `\${${answers.keyVariable}}`
  return [
    {
      path: 'hookdrift.yaml',
      text: writeConfiguration(answers.service, { key, history: undefined, worker: undefined }),
    },
    { path: 'policy.yaml', text: writePolicy({ strictness: answers.strictness, waivers: undefined }) },
  ]
}

function schemaFile(name: 'hookdrift' | 'policy'): string {
  return `.schemas/${name}.schema.json`
}

function schemaComment(name: 'hookdrift' | 'policy'): string {
  return `# yaml-language-server: $schema=./${schemaFile(name)}\n`
}
