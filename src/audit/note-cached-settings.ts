import type { ScanDraft } from '../history/history.ts'
import { clearedFrom, type SettingsAge, settingsAge } from '../inventory/settings-cache.ts'
import { projectKey } from '../model/keys.ts'
import type { ProjectNotice } from '../model/notice.ts'
import { describeReleases, intersectReleases } from '../model/release-range.ts'
import type { ProjectOutcome } from './project-outcome.ts'
import type { AuditedProject } from './project-scan.ts'

/**
 * Says of each project whose settings were read from a service that may cache them how old they may be. A key that read
 * the settings of two projects is a personal one; of a key for one project, nothing shows which kind it is.
 */
export async function noteCachedSettings(
  draft: Pick<ScanDraft, 'stageNotice'>,
  projects: readonly Pick<AuditedProject, 'ref' | 'key'>[],
  outcomes: readonly Pick<ProjectOutcome, 'project' | 'statuses' | 'release'>[],
): Promise<void> {
  const keys = new Map(projects.map(({ ref, key }) => [projectKey(ref), key]))
  const read = outcomes.filter(({ statuses }) => statuses.project === 'complete')
  const ofKeys = Map.groupBy(read, ({ project }) => `${project.service}\n${keys.get(projectKey(project)) ?? ''}`)
  for (const ofService of Map.groupBy(outcomes, ({ project }) => project.service).values()) {
    const release = intersectReleases(ofService.map((outcome) => outcome.release))
    const age = settingsAge(release)
    for (const { project, statuses } of ofService) {
      if (release === undefined || statuses.project !== 'complete') continue
      const alike = ofKeys.get(`${project.service}\n${keys.get(projectKey(project)) ?? ''}`) ?? []
      const text = describeAge(age, alike.length > 1)
      if (text === undefined) continue
      const notice: ProjectNotice = {
        code: 'settings_cached',
        listing: 'project',
        text: `${text}; the service runs ${describeReleases(release)}`,
      }
      await draft.stageNotice(project, notice)
    }
  }
}

function describeAge({ projectKey, personalKey }: SettingsAge, isPersonal: boolean): string | undefined {
  const age = isPersonal ? personalKey : projectKey
  if (age === 0) return undefined
  const upTo = `settings may be up to ${age} minutes old, because the service may answer from a cache`
  if (isPersonal || projectKey === personalKey) return `${upTo}: ${clearedFrom} clears it with each change`
  const otherwise = personalKey === 0 ? 'gets them as they are' : `gets them within ${personalKey} minutes`
  return `if this is a project's key, ${upTo}: a personal key ${otherwise}`
}
