import Diagnosis

extension ConnectionHistory {
  /// What the story says.
  func pairingStory(_ evidence: Evidence) -> [StoryLine] { [] }
}
