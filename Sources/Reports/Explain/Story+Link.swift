import Diagnosis

extension ConnectionHistory {
  /// What the story says.
  func linkStory(_ evidence: Evidence) -> [StoryLine] { [] }
}
