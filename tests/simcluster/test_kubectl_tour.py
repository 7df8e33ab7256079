"""A tour through kubectl: what a newcomer types works as on any cluster, and what cannot work says why."""

from collections.abc import Iterator

import pytest
import tour_cluster
import tour_objects
import tour_pods
import tour_workloads
from kubectl_tour import KUBECTL, Chapter, Kubectl, cluster_and_scheduler

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(KUBECTL is None, reason="no kubectl on the PATH, and TENANTRY_KUBECTL names none"),
]

CHAPTERS = [*tour_cluster.CHAPTERS, *tour_pods.CHAPTERS, *tour_workloads.CHAPTERS, *tour_objects.CHAPTERS]


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    folder = tmp_path_factory.mktemp("tour")
    with cluster_and_scheduler(folder):
        yield Kubectl(folder)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_tour(kubectl: Kubectl, chapter: Chapter) -> None:
    wrong = kubectl.follow(chapter)
    assert not wrong, "\n\n".join(wrong)
