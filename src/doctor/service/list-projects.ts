import { randomBytes } from 'node:crypto'
import {
  entryFor,
  findOrganisation,
  nameProjects,
  namesAtService,
  namesShownBy,
} from '../../audit/discover-projects.ts'
import type { ConfiguredProject, ConfiguredService } from '../../config/configuration.ts'
import { createSealer } from '../../inventory/sealer.ts'
import { projectListOf } from '../../model/resource.ts'
import type { ServiceExaminer } from '../../service/examine-service.ts'
import { ServiceFault } from '../../service/service-fault.ts'
import { accessOf } from './context.ts'

/** The projects of a service, as the configuration names them and as the service's list has them. */
export interface KnownProjects {
  /** To ask for: all that are named, and the first that the list adds. */
  readonly projects: readonly ConfiguredProject[]
  /** How many there are in all. */
  readonly total: number
  /** The list as something that is asked for, where it could not be read. */
  readonly unread: { readonly project: ConfiguredProject; readonly fault: ServiceFault } | undefined
  /** Whether the list was read, and has nothing that the configuration asks for. */
  readonly isEmpty: boolean
}

/** A fleet may have thousands, and the audit asks for each anyway. */
const mostAsked = 20

/** Reads the list of projects where the configuration leaves it to the list. */
export async function knownProjects(examiner: ServiceExaminer, service: ConfiguredService): Promise<KnownProjects> {
  const { projects: named, matches, keyPlace } = service
  const key = service.key ?? named[0]?.key ?? ''
  const [match] = matches
  if (match === undefined || key === '')
    return { projects: named, total: named.length, unread: undefined, isEmpty: false }
  const list: ConfiguredProject = {
    ref: projectListOf(service.settings.name),
    key,
    keyPlace,
    labels: {},
    filters: {},
    line: match.line,
  }
  try {
    const found = await listed(examiner, service, list)
    const projects = [...named, ...found.slice(0, mostAsked)]
    const total = named.length + found.length
    return { projects, total, unread: undefined, isEmpty: found.length === 0 }
  } catch (fault) {
    if (!(fault instanceof ServiceFault)) throw fault
    return { projects: named, total: named.length, unread: { project: list, fault }, isEmpty: false }
  }
}

/** Those of the list that the configuration matches and does not name. */
async function listed(
  examiner: ServiceExaminer,
  service: ConfiguredService,
  list: ConfiguredProject,
): Promise<readonly ConfiguredProject[]> {
  const { projects: named, matches, settings } = service
  const organisation =
    service.organisation ?? (await findOrganisation(named, (project) => examiner.project(accessOf(project))))
  // Names that look secret are left out under any key.
  const sealer = createSealer(randomBytes(32))
  const all = await examiner.projects({ ...accessOf(list), organisation, showName: namesShownBy(sealer) })
  const uids = new Set(named.map(({ ref }) => ref.uid))
  const others = all.filter(({ uid }) => !uids.has(uid))
  const taken = new Set(named.map(({ ref }) => ref.name.slice(settings.name.length + 1)))
  const names = nameProjects(others, { known: new Map(), taken, sealer })
  return others.flatMap(({ uid, name: listedName }): ConfiguredProject[] => {
    const name = names.get(uid) ?? uid
    const match = entryFor(matches, [name, ...namesAtService(listedName, sealer)])
    if (match === undefined) return []
    const ref = { name: `${settings.name}/${name}`, service: settings.name, uid }
    return [{ ...list, ref, labels: match.labels, line: match.line }]
  })
}
