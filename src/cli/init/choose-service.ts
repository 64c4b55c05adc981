import type { ProcessContext } from '../../app/process-context.ts'
import { createShowName, nameProjects } from '../../audit/discover-projects.ts'
import type { Sealer } from '../../gateway/inventory/sealer.ts'
import type { ListedProject } from '../../gateway/service/service-client.ts'
import { AuditError } from '../../model/errors.ts'
import { count } from '../../model/text/count.ts'
import { quote } from '../../model/text/neutralise.ts'
import type { Asker } from './ask.ts'
import { findKeyOwner, findProjects, type KeyedService, type KeyOwner, listOrganisation } from './find-projects.ts'
import * as interview from './interview.ts'
import { type Answers, type ChosenService, type Given, nameService } from './interview.ts'
import { reachService, type ServiceReach, withExaminer } from './reach-service.ts'

/** What a set-up is given, and what it uses of the process. */
export interface InitSession extends ServiceReach {
  readonly given: Given
  /** undefined where there is no one to ask: then what is not given has a default, or is missing. */
  readonly asker: Asker | undefined
  /** Absolute. */
  readonly directory: string
  readonly terminal: ProcessContext
  readonly signal: AbortSignal
  /** Recognises names that contain secrets. */
  readonly sealer: Sealer
  readonly version: string
  readonly readPackageFile: (path: string) => string
}

/** Finds the service, the key (a secret) and the projects. What a person answers wrongly is asked again. */
export async function chooseService(
  context: InitSession,
): Promise<Pick<Answers, 'service' | 'keyVariable'> & { readonly key: string }> {
  const { given, asker, terminal, signal, sealer } = context
  const showName = createShowName(sealer)
  const url = await untilRight(context, given.url === undefined, async () =>
    reachService(await interview.askUrl(given, asker), context),
  )
  const name = await interview.askServiceName(nameService(given.keyFromEnv, url), asker)
  return withExaminer(url, context, async (examiner) => {
    const { keyVariable, key, owner } = await untilRight(context, given.keyFromEnv === undefined, async () => {
      const variableAndKey = await interview.askKey(given, { service: name, env: terminal.env, asker })
      return { ...variableAndKey, owner: await findKeyOwner({ examiner, key: variableAndKey.key, signal, showName }) }
    })
    const scope = await chooseProjects({ examiner, key, signal, showName }, owner, context)
    return { service: { name, url, ...scope }, keyVariable, key }
  })
}

type Scope = Pick<ChosenService, 'organisation' | 'projects'>

async function chooseProjects(service: KeyedService, owner: KeyOwner, context: InitSession): Promise<Scope> {
  const { given, asker, say } = context
  if (owner !== 'a person') {
    say('good', `the key is of one project: ${describeProject(owner)}`)
    refuseOthers(owner, given.projects)
    return { organisation: undefined, projects: named([owner], context) }
  }
  say('good', 'the key is a personal one: it reads the projects of its user')
  say('note', 'give its user read access, and no more')
  const scope = await interview.askScope(given, asker)
  if (scope !== 'all' && scope !== 'list') {
    const projects = await findProjects(service, scope)
    say('good', `${count(projects.length, 'project')}: ${listed(projects)}`)
    return { organisation: undefined, projects: named(projects, context) }
  }
  return untilRight(context, given.organisation === undefined, async () => {
    const organisation = await interview.askOrganisation(given, asker)
    const projects = await listOrganisation(service, organisation)
    if (projects.length === 0) throw AuditError.incomplete(`the organisation ${organisation} has no project`)
    say('good', `${count(projects.length, 'project')}: ${listed(projects)}`)
    if (scope === 'all' || asker === undefined) return { organisation, projects: 'all' }
    return { organisation: undefined, projects: named(await interview.askProjects(projects, asker), context) }
  })
}

/** What a project's key cannot read must not be in the configuration: every run would be incomplete. */
function refuseOthers(project: ListedProject, projects: string | undefined): void {
  if (projects === undefined || projects === project.uid) return
  throw AuditError.usage(`--projects ${projects}: the key reads the project ${describeProject(project)} only`, {
    advice: `leave --projects out, or take a personal key, which reads several projects`,
  })
}

/** With names as a list of projects gives them. */
function named(projects: readonly ListedProject[], { sealer }: InitSession) {
  const names = nameProjects(projects, { pastNames: new Map(), taken: new Set(), sealer })
  return projects.map(({ uid }) => ({ id: uid, name: names.get(uid) ?? uid }))
}

const mostShown = 8

function listed(projects: readonly ListedProject[]): string {
  const names = projects.slice(0, mostShown).map(({ uid, name }) => (name === '' ? uid : quote(name)))
  return names.join(', ') + (projects.length > names.length ? ` and ${projects.length - names.length} more` : '')
}

function describeProject({ uid, name }: ListedProject): string {
  return name === '' ? uid : `${quote(name)} (${uid})`
}

/** Asks again after an answer that was typed and is wrong; other mistakes end the set-up. */
async function untilRight<Result>(
  { asker, say, signal }: InitSession,
  isTyped: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AuditError) || asker === undefined || !isTyped) throw error
      signal.throwIfAborted()
      say('note', error.message)
      if (error.advice !== undefined) say('text', `    ${error.advice}`)
    }
  }
}
